/** Values of an address, which anybody may have written; what is of no use is undefined. */

export const asId = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined

export const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

type Given<T> = { readonly [K in keyof T]?: NonNullable<T[K]> }

/** The values that are there. */
export const givenOf = <T extends Readonly<Record<string, unknown>>>(values: T): Given<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>
