/** Forms of a text by number, by the rules of a language. */

type Forms = { readonly one: string; readonly few?: string; readonly other: string }

/** Makes what chooses the form for a number and writes the number for `#`. */
export const createPlural = (locale: string) => {
  const rules = new Intl.PluralRules(locale)
  const format = new Intl.NumberFormat(locale)
  return (count: number, forms: Forms): string => {
    const text = forms[rules.select(count) as keyof Forms] ?? forms.other
    return text.replaceAll('#', format.format(count))
  }
}
