/** Forms of a text by number, by the rules of a language. */

type Forms = { readonly one: string; readonly few?: string; readonly other: string }

/** Makes what chooses the form for a number and writes the number for `#`. */
export const createPlural = (locale: string) => {
  const rules = new Intl.PluralRules(locale)
  const format = new Intl.NumberFormat(locale)
  return (count: number, forms: Forms): string => {
    const form = rules.select(count)
    const text = form === 'one' ? forms.one : form === 'few' ? forms.few : undefined
    return (text ?? forms.other).replaceAll('#', format.format(count))
  }
}
