/** Texts of parts that few users open: a file of their own for each language, loaded with the part. */
import { use } from 'react'
import { type Language, languages, TextsContext } from './texts.ts'

/** The promise, as React marks those whose value it knows: `use` gives that at once, and does not suspend. */
const known = <T>(promise: Promise<T>): Promise<T> => {
  const know = (value: T) => Object.assign(promise, { status: 'fulfilled', value })
  // Who uses it is told why it failed.
  promise.then(know, () => undefined)
  return promise
}

/** The texts of the language of the page; it suspends until they are there. */
export type LazyTexts<T> = {
  (): T
  /** Loads them before: what suspends is shown late, because React keeps every placeholder for 300 ms. */
  readonly load: () => Promise<T>
}

export const languageOfPage = (): Language => {
  const { lang } = document.documentElement
  return Object.keys(languages).find((one): one is Language => one === lang) ?? 'en'
}

// Files of the build may import each other, and call this before their other half has run: a declaration is there already.
export function lazyTexts<T>(loaders: Readonly<Record<Language, () => Promise<T>>>): LazyTexts<T> {
  const loading = new Map<Language, Promise<T>>()
  const load = (language: Language): Promise<T> => {
    const texts = loading.get(language) ?? known(loaders[language]())
    loading.set(language, texts)
    return texts
  }
  const read = () => {
    // Another language makes the part show its texts in it.
    use(TextsContext)
    return use(load(languageOfPage()))
  }
  return Object.assign(read, { load: () => load(languageOfPage()) })
}
