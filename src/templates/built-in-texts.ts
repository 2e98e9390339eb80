/**
 * Built-in texts of notifications and e-mails, for rules without texts of their own: in the language of
 * their reader if it is here, otherwise in English.
 */
import { messageTexts } from '../definitions/translations/languages.ts'

/** The date is that of a rule of `date`: the name of its field and its value. */
type Said = (record: string, date: string) => string
type Operation = { readonly title: Said; readonly message: Said }

export type BuiltInTexts = {
  readonly create: Operation
  readonly change: Operation
  readonly remove: Operation
  readonly restore: Operation
  readonly takeOwnership: Operation
  readonly proceedToStep: Operation
  readonly date: Operation
  readonly comment: Operation
  readonly mention: Operation
  /** What stands before the names of the files of a comment. */
  readonly filesOfComment: string
  readonly task: Readonly<Record<'assigned' | 'due_soon' | 'overdue' | 'nameless', string>>
  /** Of the built-in e-mail template, `link` and `missing` of all templates; Liquid. */
  readonly mail: Readonly<Record<'dear' | 'open' | 'link' | 'missing' | 'unsubscribe', string>>
  /** Of the template of digests; Liquid. */
  readonly digest: Readonly<Record<'subject' | 'files' | 'more' | 'settings', string>>
  /** Of the page behind `unsubscribe`. */
  readonly unsubscribing: Readonly<Record<'kept' | 'done', string>>
}

const comment = '{% if comment %} {{ comment }}{% endif %}'
// Who may not read the steps of the record has no action.
const withSteps = (steps: string, without: string): string =>
  `{% if action.name %}${steps}{% else %}${without}{% endif %}${comment}`
// What was said is the message.
const said = '{{ comment }}'
const linked = '<a href="{{ link.url }}">{{ link.filename }}</a>'

const english: BuiltInTexts = {
  create: {
    title: (record) => `New: ${record}`,
    message: (record) => `{{ actor.full_name }} created ${record}.`,
  },
  change: {
    title: (record) => `Changed: ${record}`,
    message: (record) => `{{ actor.full_name }} changed ${record}.${comment}`,
  },
  remove: {
    title: (record) => `Removed: ${record}`,
    message: (record) => `{{ actor.full_name }} removed ${record}.`,
  },
  restore: {
    title: (record) => `Restored: ${record}`,
    message: (record) => `{{ actor.full_name }} restored ${record}.`,
  },
  takeOwnership: {
    title: (record) => `${record} has a new owner`,
    message: (record) => `{{ actor.full_name }} took over ${record}.`,
  },
  proceedToStep: {
    title: (record) => `${record}{% if action.name %}: {{ action.name }}{% endif %}`,
    message: (record) =>
      withSteps(
        `{{ actor.full_name }} moved ${record} from {{ action.from_name }} to {{ action.to_name }}.`,
        `{{ actor.full_name }} changed ${record}.`,
      ),
  },
  date: {
    title: (record) => `Reminder: ${record}`,
    message: (record, date) => `${record}: ${date}.`,
  },
  comment: {
    title: (record) => `{{ actor.full_name }} commented on ${record}`,
    message: () => said,
  },
  mention: {
    title: (record) => `{{ actor.full_name }} mentioned you: ${record}`,
    message: () => said,
  },
  filesOfComment: 'Files:',
  task: {
    assigned: 'Task assigned to you',
    due_soon: 'Task due soon',
    overdue: 'Task overdue',
    nameless: 'A task',
  },
  mail: {
    dear: 'Dear {{ recipient.full_name }},',
    open: 'Open',
    link: `${linked} (until {{ link.until | local_date }})`,
    missing: 'The attachment {{ name }} could not be created; it is missing here.',
    unsubscribe: 'No more e-mails like this',
  },
  digest: {
    subject: '{{ project }}: notifications ({{ count }})',
    files: 'with attachments, in the record',
    more: 'Your inbox has {{ more }} more.',
    settings: 'Choose when e-mails come',
  },
  unsubscribing: {
    kept: 'Your inbox still has all notifications.',
    done: 'Done: no more e-mails like this.',
  },
}

const german: BuiltInTexts = {
  create: {
    title: (record) => `Neu: ${record}`,
    message: (record) => `Angelegt von {{ actor.full_name }}: ${record}.`,
  },
  change: {
    title: (record) => `Geändert: ${record}`,
    message: (record) => `Geändert von {{ actor.full_name }}: ${record}.${comment}`,
  },
  remove: {
    title: (record) => `Entfernt: ${record}`,
    message: (record) => `Entfernt von {{ actor.full_name }}: ${record}.`,
  },
  restore: {
    title: (record) => `Wiederhergestellt: ${record}`,
    message: (record) => `Wiederhergestellt von {{ actor.full_name }}: ${record}.`,
  },
  takeOwnership: {
    title: (record) => `${record} wurde übernommen`,
    message: (record) => `Übernommen von {{ actor.full_name }}: ${record}.`,
  },
  proceedToStep: {
    title: (record) => `${record}{% if action.name %}: {{ action.name }}{% endif %}`,
    message: (record) =>
      withSteps(
        `{{ actor.full_name }} hat den Schritt geändert: ${record}, von „{{ action.from_name }}“ zu „{{ action.to_name }}“.`,
        `Geändert von {{ actor.full_name }}: ${record}.`,
      ),
  },
  date: {
    title: (record) => `Erinnerung: ${record}`,
    message: (record, date) => `${record}: ${date}.`,
  },
  comment: {
    title: (record) => `Kommentar von {{ actor.full_name }}: ${record}`,
    message: () => said,
  },
  mention: {
    title: (record) => `{{ actor.full_name }} hat Sie erwähnt: ${record}`,
    message: () => said,
  },
  filesOfComment: 'Dateien:',
  task: {
    assigned: 'Ihnen wurde eine Aufgabe zugewiesen',
    due_soon: 'Aufgabe bald fällig',
    overdue: 'Aufgabe überfällig',
    nameless: 'Eine Aufgabe',
  },
  mail: {
    dear: 'Guten Tag {{ recipient.full_name }},',
    open: 'Öffnen',
    link: `${linked} (bis {{ link.until | local_date }})`,
    missing: 'Der Anhang {{ name }} konnte nicht erstellt werden; er fehlt hier.',
    unsubscribe: 'Solche E-Mails abbestellen',
  },
  digest: {
    subject: '{{ project }}: Benachrichtigungen ({{ count }})',
    files: 'mit Anhängen, beim Datensatz',
    more: 'Weitere im Eingang: {{ more }}.',
    settings: 'Wählen, wann E-Mails kommen',
  },
  unsubscribing: {
    kept: 'Der Eingang hat weiterhin alle Benachrichtigungen.',
    done: 'Erledigt: Solche E-Mails kommen nicht mehr.',
  },
}

const french: BuiltInTexts = {
  create: {
    title: (record) => `Création : ${record}`,
    message: (record) => `Création par {{ actor.full_name }} : ${record}.`,
  },
  change: {
    title: (record) => `Modification : ${record}`,
    message: (record) => `Modification par {{ actor.full_name }} : ${record}.${comment}`,
  },
  remove: {
    title: (record) => `Suppression : ${record}`,
    message: (record) => `Suppression par {{ actor.full_name }} : ${record}.`,
  },
  restore: {
    title: (record) => `Restauration : ${record}`,
    message: (record) => `Restauration par {{ actor.full_name }} : ${record}.`,
  },
  takeOwnership: {
    title: (record) => `Prise en charge : ${record}`,
    message: (record) => `Prise en charge par {{ actor.full_name }} : ${record}.`,
  },
  proceedToStep: {
    title: (record) => `${record}{% if action.name %} : {{ action.name }}{% endif %}`,
    message: (record) =>
      withSteps(
        `{{ actor.full_name }} a changé l’étape : ${record}, de « {{ action.from_name }} » à « {{ action.to_name }} ».`,
        `Modification par {{ actor.full_name }} : ${record}.`,
      ),
  },
  date: {
    title: (record) => `Rappel : ${record}`,
    message: (record, date) => `${record} : ${date}.`,
  },
  comment: {
    title: (record) => `Commentaire de {{ actor.full_name }} : ${record}`,
    message: () => said,
  },
  mention: {
    title: (record) => `{{ actor.full_name }} vous a mentionné(e) : ${record}`,
    message: () => said,
  },
  filesOfComment: 'Fichiers :',
  task: {
    assigned: 'Une tâche vous a été attribuée',
    due_soon: 'L’échéance d’une tâche approche',
    overdue: 'Tâche en retard',
    nameless: 'Une tâche',
  },
  mail: {
    dear: 'Bonjour {{ recipient.full_name }},',
    open: 'Ouvrir',
    link: `${linked} (jusqu’au {{ link.until | local_date }})`,
    missing: 'La pièce jointe {{ name }} n’a pas pu être créée ; elle manque ici.',
    unsubscribe: 'Ne plus recevoir ces e-mails',
  },
  digest: {
    subject: '{{ project }} : notifications ({{ count }})',
    files: 'avec des pièces jointes, dans l’enregistrement',
    more: 'Autres notifications dans votre boîte de réception : {{ more }}.',
    settings: 'Choisir quand les e-mails arrivent',
  },
  unsubscribing: {
    kept: 'La boîte de réception a toujours toutes les notifications.',
    done: 'C’est fait : vous ne recevrez plus ces e-mails.',
  },
}

const croatian: BuiltInTexts = {
  create: {
    title: (record) => `Novo: ${record}`,
    message: (record) => `Novi zapis: ${record}. Unos: {{ actor.full_name }}.`,
  },
  change: {
    title: (record) => `Promjena: ${record}`,
    message: (record) => `Promjena: ${record} ({{ actor.full_name }}).${comment}`,
  },
  remove: {
    title: (record) => `Uklonjeno: ${record}`,
    message: (record) => `{{ actor.full_name }} uklanja: ${record}.`,
  },
  restore: {
    title: (record) => `Vraćeno: ${record}`,
    message: (record) => `{{ actor.full_name }} vraća: ${record}.`,
  },
  takeOwnership: {
    title: (record) => `Preuzeto: ${record}`,
    message: (record) => `{{ actor.full_name }} preuzima: ${record}.`,
  },
  proceedToStep: {
    title: (record) => `${record}{% if action.name %}: {{ action.name }}{% endif %}`,
    message: (record) =>
      withSteps(
        `${record}: iz koraka „{{ action.from_name }}” u korak „{{ action.to_name }}” ({{ actor.full_name }}).`,
        `Promjena: ${record} ({{ actor.full_name }}).`,
      ),
  },
  date: {
    title: (record) => `Podsjetnik: ${record}`,
    message: (record, date) => `${record}: ${date}.`,
  },
  comment: {
    title: (record) => `Komentar ({{ actor.full_name }}): ${record}`,
    message: () => said,
  },
  mention: {
    title: (record) => `{{ actor.full_name }} vas spominje: ${record}`,
    message: () => said,
  },
  filesOfComment: 'Datoteke:',
  task: {
    assigned: 'Dodijeljen vam je zadatak',
    due_soon: 'Zadatku uskoro istječe rok',
    overdue: 'Zadatku je istekao rok',
    nameless: 'Zadatak',
  },
  mail: {
    dear: 'Poštovani/a {{ recipient.full_name }},',
    open: 'Otvori',
    link: `${linked} (do {{ link.until | local_date }})`,
    missing: 'Prilog {{ name }} nije bilo moguće izraditi; ovdje nedostaje.',
    unsubscribe: 'Ne šalji više ovakve poruke',
  },
  digest: {
    subject: '{{ project }}: obavijesti ({{ count }})',
    files: 's prilozima, u zapisu',
    more: 'Još obavijesti u pretincu: {{ more }}.',
    settings: 'Odaberite kada stižu e-poruke',
  },
  unsubscribing: {
    kept: 'U pretincu su i dalje sve obavijesti.',
    done: 'Gotovo: ovakve poruke više ne stižu.',
  },
}

/** The texts of a locale. */
export const builtInTexts = (locale?: string): BuiltInTexts =>
  messageTexts({ en: english, de: german, fr: french, hr: croatian }, locale)
