/** Files of a project, by their paths: each is spread into the files that a test writes. */

type File = Readonly<Record<string, object>>

/** A role with these permissions. */
export const roleFile = (key: string, permissions: object, more: object = {}): File => ({
  [`roles/${key}.json`]: { key, ...more, permissions },
})

/** The same of a role that has a name, which gives it its key. */
export const namedRole = (name: string, permissions: object, more: object = {}): File =>
  roleFile(name.toLowerCase(), permissions, { name, ...more })

/** Roles by their permissions. */
export const roleFiles = (roles: Readonly<Record<string, object>>): File =>
  Object.assign({}, ...Object.entries(roles).map(([key, one]) => roleFile(key, one)))

/** An entity with these fields, and before them what else it has. */
export const entityFile = (
  key: string,
  ...[more, fields]: [fields: readonly object[]] | [more: object, fields: readonly object[]]
): File => ({
  [`entities/${key}.json`]: fields ? { key, ...more, fields } : { key, fields: more },
})

/** A field that links to a record, by default of the entity with its key. */
export const link = (key: string, entity: string = key) => ({ key, type: 'manyToOne', entity })

/** The field of the records that link to one. */
export const many = (key: string, entity: string, mappedBy: string) => ({
  key,
  type: 'oneToMany',
  entity,
  mappedBy,
})

/** The columns of an export without other settings. */
export const exporting = (...fields: readonly string[]) => ({
  columnDefs: fields.map((field) => ({ field })),
})
