/** Textes de l’importation de fichiers. */
import type { importing as english } from '../en/import.ts'
import { createPlural } from '../plural.ts'

const plural = createPlural('fr')
const { format } = new Intl.NumberFormat('fr')

export const importing: typeof english = {
  title: (entity: string) => `Importation : ${entity}`,
  toList: (entity: string) => `Vers la liste : ${entity}`,
  file: {
    title: '1. Fichier',
    drop: 'Déposez un fichier ici : CSV, un classeur Excel (xlsx) ou JSON.',
    choose: 'Choisir un fichier',
    other: 'Choisir un autre fichier',
    format: 'Format',
    formats: { csv: 'CSV', xlsx: 'Excel (xlsx)', ndjson: 'NDJSON', json: 'JSON' },
    encoding: 'Encodage',
    separator: 'Entre les cellules',
    separators: {
      comma: 'Virgule',
      semicolon: 'Point-virgule',
      tab: 'Tabulation',
      bar: 'Barre |',
    },
    sheet: 'Feuille',
    empty: 'Le fichier est vide.',
    correct: 'Corrigez ci-dessus ce pour quoi il a été pris, ou choisissez un autre fichier.',
    notes: 'Ce qui a été trouvé dans le fichier',
  },
  columns: {
    title: '2. Colonnes',
    head: 'Colonne du fichier',
    samples: 'Exemples',
    field: 'Devient',
    fieldOf: (head: string) => `${head} devient`,
    choose: 'Choisir…',
    leaveOut: 'Ignorer',
    leaveOutAll: (columns: number) =>
      plural(columns, {
        one: 'Ignorer # colonne sans champ',
        other: 'Ignorer les # colonnes sans champ',
      }),
    unknown: 'Aucun champ n’est connu pour elle. Choisissez-en un, ou ignorez la colonne.',
    noRows: 'Le fichier n’a pas de lignes sous ses en-têtes.',
    open: (columns: number) =>
      plural(columns, {
        one: '# colonne est marquée : faites ce qui y est indiqué, ou ignorez-la.',
        other: '# colonnes sont marquées : faites ce qui y est indiqué, ou ignorez-les.',
      }),
    decimal: (head: string) => `Nombres de ${head}`,
    decimals: { point: '1,234.50', comma: '1.234,50' },
    dates: (head: string) => `Jours de ${head}`,
    dayOrders: { DMY: 'jour, mois, année', MDY: 'mois, jour, année', YMD: 'année, mois, jour' },
    found: 'comme trouvé',
    missing: (labels: string) => `Aucune colonne ne devient un champ obligatoire : ${labels}.`,
  },
  mode: {
    title: 'Ce que font les lignes',
    modes: {
      insert: 'Seulement créer des enregistrements',
      update: 'Seulement modifier des enregistrements existants',
      insertOrUpdate: 'Modifier les enregistrements existants, créer les autres',
    },
    match: 'Les enregistrements sont trouvés par',
    emptyCells: 'Une cellule vide',
    emptyRules: {
      keep: 'laisse le champ tel quel',
      clear: 'vide le champ',
      default: 'donne au champ sa valeur par défaut',
    },
  },
  preview: { title: 'Les premières lignes telles qu’elles seront', row: 'Ligne' },
  saved: {
    title: 'Importation enregistrée',
    none: 'Aucune',
    save: 'Enregistrer pour le prochain fichier',
    name: 'Nom',
    remove: (name: string) => `Supprimer « ${name} »`,
    done: 'Enregistrée. Elle est proposée pour les fichiers qui ont ces en-têtes.',
  },
  check: {
    sending: 'Envoi du fichier…',
    start: 'Vérifier toutes les lignes',
    nothing: 'Rien n’est encore écrit.',
    title: '3. Vérification',
    change: 'Modifier le fichier ou ses colonnes',
    reading: (rows: number) =>
      plural(rows, {
        one: 'Lecture du fichier : # ligne',
        other: 'Lecture du fichier : # lignes',
      }),
    checking: (step: number, steps: number) =>
      `Vérification des lignes : étape ${step} sur ${steps}`,
    trying: (done: number, all: number) =>
      `Vérification des lignes par un essai d’écriture : ${format(done)} sur ${format(all)}`,
    counts: 'Ce que fera l’importation',
    rows: 'lignes',
    created: 'nouvelles',
    changed: 'modifiées',
    unchanged: 'inchangées',
    faulty: 'avec une erreur',
    failed: 'L’importation a échoué.',
    noFaults: 'Aucune ligne n’a d’erreur.',
  },
  faults: {
    title: (rows: number) =>
      plural(rows, { one: '# ligne a une erreur', other: '# lignes ont des erreurs' }),
    help: 'Corrigez ici les cellules marquées et vérifiez de nouveau, ou importez les autres lignes sans celles-ci.',
    helpLeft:
      'Corrigez ici les cellules marquées et faites-les vérifier ; ces lignes peuvent alors être importées aussi.',
    table: 'Lignes avec des erreurs',
    row: 'Ligne',
    whole: 'Ligne entière',
    cell: (column: string, row: number) => `${column}, ligne ${row}`,
    alike: (rows: number) =>
      plural(rows, { one: 'dans # ligne semblable', other: 'dans les # lignes semblables' }),
    again: (cells: number) =>
      plural(cells, {
        one: 'Vérifier de nouveau avec # correction',
        other: 'Vérifier de nouveau avec # corrections',
      }),
    none: 'Vérifier de nouveau',
    shown: (shown: number, all: number) =>
      `Les ${format(shown)} premières lignes sur ${format(all)} sont affichées.`,
    more: 'Afficher plus',
    download: 'Enregistrer les lignes avec des erreurs (CSV)',
    noRecord: 'Il n’y a pas d’enregistrement correspondant, ou vous ne pouvez pas le voir.',
    repeated: (row: number, heads: string) => `Même contenu qu’à la ligne ${row} : ${heads}.`,
    leadsToFault: (row: number) => `Cela renvoie à la ligne ${row}, qui a une erreur.`,
    leadsBack: 'Cela renvoie à des lignes qui renvoient à celle-ci.',
    sameRecord: (row: number) =>
      `Elle fait partie du même enregistrement que la ligne ${row}, qui a une erreur.`,
    choices: (list: string) => `Saisissez ${list}.`,
    decimals: (count: number) =>
      plural(count, {
        one: 'Saisissez au plus # décimale.',
        other: 'Saisissez au plus # décimales.',
      }),
  },
  run: {
    title: '4. Importation',
    start: (rows: number) => plural(rows, { one: 'Importer # ligne', other: 'Importer # lignes' }),
    startOthers: (rows: number) =>
      plural(rows, {
        one: 'Importer # ligne sans erreur',
        other: 'Importer # lignes sans erreur',
      }),
    writing: (done: number, all: number) =>
      `${format(done)} lignes sur ${format(all)} sont importées.`,
    stop: 'Arrêter',
    goOn: 'Continuer',
    stopped: 'L’importation est arrêtée. Ce qui est importé reste ; le reste attend.',
    done: 'L’importation est terminée.',
    left: (rows: number) =>
      plural(rows, {
        one: '# ligne avec une erreur n’a pas été importée.',
        other: '# lignes avec des erreurs n’ont pas été importées.',
      }),
    records: 'Afficher ces enregistrements',
    another: 'Importer un autre fichier',
  },
  undo: {
    ask: 'Annuler cette importation…',
    removes: (records: number) =>
      plural(records, {
        one: '# enregistrement créé est supprimé.',
        other: '# enregistrements créés sont supprimés.',
      }),
    takesBack: (records: number) =>
      plural(records, {
        one: '# enregistrement modifié retrouve ses valeurs.',
        other: '# enregistrements modifiés retrouvent leurs valeurs.',
      }),
    keeps: (records: number) =>
      plural(records, {
        one: '# enregistrement reste, car il a été modifié depuis :',
        other: '# enregistrements restent, car ils ont été modifiés depuis :',
      }),
    start: (records: number) =>
      plural(records, {
        one: 'Annuler # enregistrement',
        other: 'Annuler # enregistrements',
      }),
    going: (records: number) =>
      plural(records, {
        one: 'Annulation : il reste # enregistrement.',
        other: 'Annulation : il reste # enregistrements.',
      }),
    done: 'L’importation est annulée.',
  },
  list: {
    title: 'Vos importations',
    file: 'Fichier',
    unnamed: 'Sans nom',
    state: 'État',
    rows: 'Lignes',
    at: 'Quand',
    open: (file: string) => `Ouvrir l’importation de ${file}`,
    states: {
      reading: 'en lecture',
      checking: 'en vérification',
      ready: 'vérifié, non importé',
      writing: 'en importation',
      stopped: 'arrêté',
      done: 'importé',
      failed: 'échoué',
      undoing: 'en annulation',
      undone: 'annulé',
    },
  },
}
