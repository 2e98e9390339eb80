/** The kinds of audit events: what each says, without changes of records, which the history has (docs/audit.md). */

/** By kind. A new kind is a row here, and its name in the languages of the console (`texts.audit.kinds`). */
export const auditKinds = {
  signIn: 'A user signed in; `way` says by what.',
  refuseSignIn:
    'A sign-in was refused; `about_user` is the user whose name was given, if there is one. Those of one minute that are alike are one event, `times`.',
  becomeUser: 'During development, a session became that of another user, `about_user`.',
  endSession: 'A session of `about_user` was ended, by signing out or from another one.',
  setPassword: 'The password of `about_user` was set, `by` an invitation or a change.',
  changeCredential:
    'A passkey, the app of the second factor, or the recovery codes of `about_user` were added or removed.',
  createApiKey: 'An API key, `key_id`, was made for `about_user`, perhaps with a `scope`.',
  revokeApiKey: 'An API key, `key_id`, of `about_user` was revoked.',
  invite: '`about_user` was invited; an earlier invitation ended.',
  revokeInvitation: 'An open invitation of `about_user` was revoked.',
  acceptInvitation: 'An invitation was accepted.',
  leave:
    '`about_user` has left; `to` is the id of the user who took over `tasks` and `records`, `kept` how many stayed.',
  export: 'Records were exported: `columns` in a `format`, as many as `rows`.',
  beginImport:
    'The caller has a file, `import_id`, written as records: `columns` in a `mode`. A dry run is none until its start.',
  endImport:
    'An import, `import_id`, has come to its `state`: of one that is `done`, `stopped` or `failed`, records that it has `created` and `updated`, and rows that are `faulty`; of one that is `undone`, how many are `left`; one that is `ready` has written nothing.',
  undoImport: 'The caller has what an import, `import_id`, has written undone.',
  refuseFile:
    'A file that the caller sent was refused by the scanner, or not scanned: `reason` and `finding`, with its `sha256` and `bytes`.',
  printDocument: 'A document of a record was made from the template `code`.',
  anonymise: 'The personal values of a record were replaced; of a user, `about_user`.',
  exportPerson: 'What is stored about `about_user` was given out.',
  purge: 'A record was removed for good.',
  changeDefinitions:
    'A start or `docket migrate` applied other definitions: `changed` names entities and roles, with the parts that differ.',
} as const

export type AuditKind = keyof typeof auditKinds

export const auditKindNames = Object.keys(auditKinds) as readonly AuditKind[]

/** By what a browser signs in, as the audit names it. A new way is a word here, and its name in the console. */
export const auditedSignInWays = [
  'password',
  'passkey',
  /** Sent by e-mail. */
  'code',
  /** Of an app or a recovery code, after the first factor. */
  'secondFactor',
  'invitation',
  'issuer',
  'apiKey',
  'link',
] as const
export type AuditedSignInWay = (typeof auditedSignInWays)[number]
