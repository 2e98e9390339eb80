/** Texts of parts that few users open: a file of their own for each language, loaded with the part. */
import { use } from 'react'
import { type Language, languages, TextsContext } from './texts.ts'

/** The texts of the language of the page; the hook suspends until they are there. */
// Files of the build may import each other, and call this before their other half has run: a declaration is there already.
export function lazyTexts<T>(loaders: Readonly<Record<Language, () => Promise<T>>>): () => T {
  const loaded = new Map<Language, Promise<T>>()
  const load = (language: Language): Promise<T> => {
    const texts = loaded.get(language) ?? loaders[language]()
    loaded.set(language, texts)
    return texts
  }
  return () => {
    // Another language makes the part show its texts in it.
    use(TextsContext)
    const { lang } = document.documentElement
    return use(load(Object.keys(languages).find((one): one is Language => one === lang) ?? 'en'))
  }
}
