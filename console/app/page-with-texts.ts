/** Pages that are loaded with their texts. */
import type { LazyTexts } from '../texts/lazy-texts.ts'

type WithTexts = {
  /** What the page shows at once; parts of it that are opened later load theirs then. */
  readonly texts: readonly Pick<LazyTexts<unknown>, 'load'>[]
}

/** Resolves when the page and its texts are there, so that it is shown without a placeholder. */
export const withTexts = async <T extends WithTexts>(loading: Promise<T>): Promise<T> => {
  const page = await loading
  await Promise.all(page.texts.map(({ load }) => load()))
  return page
}
