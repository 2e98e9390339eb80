/** What is particular to native entities; every room reads it here instead of knowing them by name. */

type NativeEntity = {
  /** Its records are part of another one: they are written below it, and its history tells of them. */
  readonly isPartOfRecord?: true
}

const nativeEntities: Readonly<Record<string, NativeEntity>> = {
  task: { isPartOfRecord: true },
}

/** Whether records of an entity are part of another record. */
export const isPartOfRecord = ({ key }: { readonly key: string }): boolean =>
  nativeEntities[key]?.isPartOfRecord === true
