/** The data that a template may read: every name in it, or in files that it names. */
import type { Template } from '../typst/engine.ts'

/** Possible names of fields; other words of the text are included, which does no harm. */
export const namesIn = ({ main, source, files }: Template): ReadonlySet<string> => {
  const texts = [source ?? textOf(files.get(main))]
  const others = new Map([...files].filter(([path]) => path.endsWith('.typ') && path !== main))
  for (const text of texts)
    for (const [path, bytes] of others)
      if (text.includes(path.slice(path.lastIndexOf('/') + 1))) {
        // The array grows during the loop, so imports of imports are included.
        texts.push(textOf(bytes))
        others.delete(path)
      }
  return new Set(texts.flatMap((text) => text.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []))
}

const textOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? '' : Buffer.from(bytes).toString('utf8')
