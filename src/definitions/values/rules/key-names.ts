/** Names of what the definition does not name: words made of keys. The service and the console call a value the same. */

type Choices = {
  readonly values?: readonly string[]
  readonly valueNames?: Readonly<Record<string, string>>
}

/** A key as a name: `place_order` reads `Place order`. */
export const nameOfKey = (key: string): string => {
  const words = key.replace(/^_/, '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

type Named = { readonly key: string; readonly name?: string | undefined }

/** What a field or an action is called. */
export const labelOf = ({ key, name }: Named): string => name ?? nameOfKey(key)

/** Whether a value is made of words: codes and units, such as `EUR`, `kg` and `m2`, are none and stay. */
export const isWord = (value: string): boolean => /^[a-z][a-z_]{2,}$/.test(value)

const read = new WeakMap<Choices, ReadonlyMap<string, string>>()

/**
 * What the values of an enum are called: by the definition, or by their words where nothing else of the enum has these. A
 * value that is not here is its own name.
 */
export const choiceNames = (field: Choices): ReadonlyMap<string, string> => {
  const names = read.get(field) ?? new Map(readNames(field))
  read.set(field, names)
  return names
}

const readNames = ({ values = [], valueNames = {} }: Choices): (readonly [string, string])[] => {
  const texts = [...values, ...Object.values(valueNames)].map((text) => text.toLowerCase())
  return values.flatMap((value, at) => {
    const name = nameOfKey(value)
    const given = Object.hasOwn(valueNames, value) ? valueNames[value] : undefined
    if (given !== undefined) return [[value, given] as const]
    // A file that has names is read again: a name stands for one value, whatever its case.
    const isTaken = texts.some((text, of) => of !== at && text === name.toLowerCase())
    return isWord(value) && !isTaken ? [[value, name] as const] : []
  })
}
