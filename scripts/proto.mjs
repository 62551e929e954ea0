/*
 * `npm run proto`: generate src/plugin/gen from proto/. The generator needs Node 22, so it
 * runs under one of its own; what it makes is committed, and a build needs none of this.
 */
import { step } from './steps.mjs';

const packages = ['node@22', '@bufbuild/buf@1.74.0', '@bufbuild/protoc-gen-es@2.16.0'];
step('generate', 'npx', ['-y', ...packages.flatMap((name) => ['-p', name]), '-c', 'buf generate']);
