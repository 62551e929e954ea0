@echo off
rem Run mctl from a checkout: install and build on first use, then start.
if not exist "%~dp0dist\.built" (
	node "%~dp0scripts\build.mjs" --install 1>&2 || exit /b 1
)
node "%~dp0dist\cli\main.js" %*
