/*
 * A query in another language, in the words of tools: tool names are English, and many
 * people ask in their own language. The list holds the common verbs and nouns of user
 * interfaces in German, Spanish, French, Italian and Portuguese.
 */
import { wordsOf } from '../../search/text/words.ts';

const lines = `
create: erstellen erstelle anlegen anlege erzeugen neu neue neuen neues crear crea nuevo nueva creer cree nouveau nouvelle creare crea nuovo nuova criar novo nova
add: hinzufugen einfugen anadir agregar ajouter ajoute aggiungere adicionar acrescentar inserir insertar inserer inserire
delete: loschen losche entfernen borrar eliminar borra elimina supprimer supprime effacer eliminare cancellare excluir apagar remover
read: lesen lese leer lee lire lis leggere leggi ler leia
write: schreiben schreibe escribir escribe ecrire ecris scrivere scrivi escrever
show: zeigen anzeigen zeige mostrar muestra ver montrer affiche afficher mostrare mostra exibir
list: auflisten liste listen listar lista lister elencare elenco
search: suchen suche finden finde buscar busca encontrar chercher cherche rechercher trouver cercare cerca trovare procurar pesquisar
update: aktualisieren andern andere bearbeiten actualizar editar cambiar modificar mettre jour modifier changer aggiornare modificare atualizar alterar
move: verschieben mover deplacer spostare
copy: kopieren copiar copier copiare
rename: umbenennen renombrar renommer rinominare renomear
open: offnen abrir ouvrir aprire
close: schliessen cerrar fermer chiudere fechar
start: starten iniciar demarrer lancer avviare
stop: stoppen anhalten detener parar arreter fermare
restart: neustarten reiniciar redemarrer relancer riavviare
send: senden schicken enviar envoyer inviare mandar
save: speichern guardar enregistrer sauvegarder salvare salvar
download: herunterladen descargar telecharger scaricare baixar
upload: hochladen subir televerser caricare carregar
convert: umwandeln konvertieren convertir convertire converter
sort: sortieren ordenar trier ordinare
count: zahlen contar compter contare
merge: zusammenfuhren fusionar combinar fusionner unire mesclar
click: klicken clic cliquer cliccare clicar pulsar
fill: ausfullen rellenar remplir compilare preencher
assign: zuweisen asignar assigner attribuer assegnare atribuir
approve: genehmigen aprobar approuver approvare aprovar
comment: kommentar kommentieren comentario comentar commentaire commenter commento commentare
make: machen mache hacer haz faire fais fare fazer
file files: datei dateien archivo archivos fichero ficheros fichier fichiers arquivo arquivos
folder directory: ordner verzeichnis carpeta directorio dossier repertoire cartella pasta diretorio
page: seite seiten pagina paginas pages pagine
branch: zweig rama ramas branche branches ramo
table: tabelle tabla tableau tabella tabela
row: zeile fila ligne riga linha
column: spalte columna colonne colonna coluna
cell: zelle celda cellule cella celula
document: dokument dokumente documento documentos documents documenti
text: texto texte testo
image picture: bild bilder imagen imagenes immagine imagem foto
user: benutzer nutzer usuario usuarios utilisateur utilisateurs utente usuario
project: projekt proyecto projet progetto projeto
task: aufgabe aufgaben tarea tareas tache taches compito attivita tarefa
issue ticket: problem problema fehler incidencia probleme
message: nachricht mensaje messaggio mensagem
button: knopf schaltflache boton bouton pulsante botao
collection: sammlung coleccion collezione colecao
database: datenbank basedatos banque
password: passwort contrasena mot passe senha
website: webseite sitio
query: abfrage consulta requete
version: versiones versioni
error: fehler errores erreur errore erro
change: anderung anderungen cambio cambios changement modifica mudanca
name: nombre nom nome
sheet: blatt hoja feuille foglio folha
calendar: kalender calendario calendrier
`;

/** Words of these languages that say nothing about a tool. */
const fillers = new Set(
	`der die das den dem des ein eine einen einem einer in im auf mit von zu zum zur und fur aus an ist
	el la los las un una unos unas en de del con para por y al lo
	le les un une des du dans sur avec pour et au aux est
	il lo gli uno della del di con per e nel
	o os as um uma no na do da com para em`.split(/\s+/),
);

const english: ReadonlyMap<string, string> = new Map(
	lines
		.trim()
		.split('\n')
		.flatMap((line) => {
			const [meaning = '', words = ''] = line.split(': ');
			return words.split(' ').map((word): [string, string] => [word, meaning]);
		}),
);

/** The query with the English words of its foreign ones; as it is when it has none. */
export function translated(query: string): string {
	const words = wordsOf(query);
	const isForeign = words.some((word) => english.has(word) && !english.get(word)?.split(' ').includes(word));
	if (!isForeign) return query;
	return words
		.filter((word) => !fillers.has(word))
		.map((word) => english.get(word) ?? word)
		.join(' ');
}

/** The parts of a query that names several steps; the query alone when it names one. */
export function stepsOf(query: string): string[] {
	const parts = query
		.split(/[,;:.!?\n]+|\s(?:and then|and|then|und|dann|y|luego|et|puis|e poi)\s/i)
		.map((part) => part.trim())
		.filter((part) => part !== '');
	return parts.length < 2 ? [query] : parts.slice(0, STEP_LIMIT);
}

/** Most steps of one query. */
const STEP_LIMIT = 8;
