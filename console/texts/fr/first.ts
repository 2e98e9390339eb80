/** French texts that the first list needs. */
import type { first as english } from '../en/first.ts'
import { createPlural } from '../plural.ts'

const plural = createPlural('fr')

export const first: typeof english = {
  common: {
    cancel: 'Annuler',
    close: 'Fermer',
    save: 'Enregistrer',
    retry: 'Réessayer',
    loading: 'Chargement…',
    yes: 'Oui',
    no: 'Non',
    none: 'Non renseigné',
    more: 'Plus',
    signOut: 'Se déconnecter',
    undo: 'Annuler',
    skipToContent: 'Aller au contenu',
  },
  problem: {
    unreachable: 'Le service ne répond pas.',
    unreachableHint: 'Ce que vous voyez reste affiché. La page réessaie automatiquement.',
    notFound: 'Cette page n’existe pas.',
    notFoundHint: 'Elle n’existe pas, a été supprimée, ou votre rôle ne peut pas la voir.',
    unexpected: 'Une erreur s’est produite sur cette page.',
    stale: 'Ce que vous voyez n’est peut-être plus à jour.',
  },
  become: { title: 'Agir en tant qu’une autre personne' },
  navigation: {
    short: 'Navigation rapide',
    search: 'Recherche',
    label: 'Navigation principale',
    open: 'Ouvrir la navigation',
  },
  administration: {
    title: 'Administration',
    others: 'Plus',
    users: 'Utilisateurs',
    queue: 'Envois et traitements',
    audit: 'Audit',
    explain: 'Qui est informé',
    definitions: 'Définitions',
    roles: 'Droits des rôles',
    mail: 'E-mails interceptés',
  },
  inbox: { title: 'Réception' },
  approvals: { title: 'Approbations' },
  palette: {
    title: 'Rechercher partout',
    none: 'Aucun résultat.',
  },
  views: {
    title: 'Vues',
    changed: 'modifiée',
    save: 'Enregistrer les modifications',
    reset: 'Revenir à la vue enregistrée',
    saveAs: 'Enregistrer comme nouvelle vue…',
    saveAsShort: 'Enregistrer sous…',
    resetShort: 'Réinitialiser',
    resetAll: 'Réinitialiser la liste',
    remove: (name: string) => `Supprimer la vue ${name}`,
    rename: (name: string) => `Renommer la vue ${name}…`,
    allOf: (plural: string) => `Liste complète : ${plural}`,
    saved: 'enregistrée',
    sharing: { me: 'moi', role: 'mon rôle', all: 'tout le monde' },
  },
  list: {
    export: 'Exporter',
    import: 'Importer',
    find: 'Chercher dans la liste',
    rows: (count: number) => plural(count, { one: '# enregistrement', other: '# enregistrements' }),
    columns: 'Colonnes',
    columnsOf: (entity: string) => `Colonnes : ${entity}`,
    columnMenu: (column: string) => `Menu de la colonne ${column}`,
    label: (entity: string) => `${entity}, liste`,
  },
  filter: {
    add: 'Filtrer',
    title: 'Ajouter un filtre',
  },
  cells: {
    shortcut: 'Modifier la cellule d’une liste',
    cell: (column: string, record: string) => `${column}, ${record}`,
    fixed: (column: string) => `La colonne ${column} n’est pas modifiable ici.`,
    refused: 'Non enregistré.',
    conflict: 'Quelqu’un d’autre a enregistré une autre valeur.',
    marks: {
      left: 'ne correspond plus',
      gone: 'supprimé',
      unread: 'n’est plus lisible',
    },
  },
  // What others change while a page is open.
  changes: {
    newRecords: (count: number) =>
      plural(count, { one: '# nouvel enregistrement', other: '# nouveaux enregistrements' }),
    load: 'Afficher',
  },
  keys: {
    title: 'Raccourcis clavier',
    names: {
      Ctrl: 'Ctrl',
      Shift: 'Maj',
      Enter: 'Entrée',
      Space: 'Espace',
      Escape: 'Échap',
    } as Readonly<Record<string, string>>,
    create: 'Créer un enregistrement',
  },
  documents: { title: 'Documents' },
  selection: {
    totals: 'Totaux',
    export: 'Exporter la sélection',
    label: 'Sélection',
    hint: 'Sélectionnez des enregistrements pour les modifier ou les exporter ensemble : avec x, avec Maj et un clic, ou tous à la fois.',
    select: (name) => `Sélectionner ${name}`,
    selectAll: 'Sélectionner tout ce qui correspond',
    everything: 'Tous',
    clear: 'Effacer la sélection',
    selected: (count) => plural(count, { one: '# sélectionné', other: '# sélectionnés' }),
    allSelected: (count) =>
      plural(count, { one: 'Tous sélectionnés (#)', other: 'Tous sélectionnés (#)' }),
    all: (count) => plural(count, { one: 'Tout sélectionner (#)', other: 'Tout sélectionner (#)' }),
    allShort: (count) => plural(count, { one: 'Tous (#)', other: 'Tous (#)' }),
    tooMany: (limit) =>
      plural(limit, {
        one: 'Un par un, on ne peut sélectionner que # enregistrement. Sélectionnez plutôt tout ce qui correspond.',
        other:
          'Un par un, on ne peut sélectionner que # enregistrements. Sélectionnez plutôt tout ce qui correspond.',
      }),
  },
  settings: { title: 'Paramètres' },
  tasks: { title: 'Mes tâches', overdue: 'en retard' },
  day: { title: 'Ma journée' },
  removed: { title: 'Éléments supprimés' },
  record: {
    create: 'Créer',
    ownChanges: 'Mes modifications',
    you: (name: string) => `${name} (vous)`,
    acting: (name: string, acting: string) => `${name} (par ${acting})`,
  },
}
