/** What a template needs to be given: every name that stands in it, or in files that it names. */
import type { Template } from '../typst/engine.ts'

/** Names of fields that may be meant; words of the text are among them, which does no harm. */
export const namesIn = ({ main, source, files }: Template): ReadonlySet<string> => {
  const texts = [source ?? textOf(files.get(main))]
  const others = new Map([...files].filter(([path]) => path.endsWith('.typ') && path !== main))
  for (const text of texts)
    for (const [path, bytes] of others)
      if (text.includes(path.slice(path.lastIndexOf('/') + 1))) {
        // An array that grows while it is walked: what an import imports counts as well.
        texts.push(textOf(bytes))
        others.delete(path)
      }
  return new Set(texts.flatMap((text) => text.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []))
}

const textOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? '' : Buffer.from(bytes).toString('utf8')
