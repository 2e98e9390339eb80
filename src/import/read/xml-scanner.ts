/**
 * Reads the XML of workbooks piece by piece: elements without their prefixes, attributes, texts. Nothing but the five entities
 * of XML and numbers of characters is expanded, and a document type is refused. A cell costs no object, so that a sheet takes less
 * than half the time that a general parser (saxes) takes.
 */
import { SheetFault } from './sheet.ts'

export type XmlEvents = {
  /** `attributes` as they stand in the tag, for `attribute`. An empty element opens and closes. */
  readonly open: (name: string, attributes: string) => void
  readonly close: (name: string) => void
  /** A part of a text; only where `wantsText` says so. */
  readonly text: (text: string) => void
  readonly wantsText: () => boolean
}

type XmlScanner = {
  readonly write: (piece: string) => void
  /** Throws unless every element is closed. */
  readonly end: () => void
}

const [slash, question, exclamation, blank, quote, apostrophe, tagEnd] = [
  0x2f, 0x3f, 0x21, 0x20, 0x22, 0x27, 0x3e,
]

const damaged = (what: string) => new SheetFault(`The workbook is damaged: its XML ${what}.`)

/** `longest`: UTF-16 units of a text or a tag. */
export const createXmlScanner = (events: XmlEvents, longest: number): XmlScanner => {
  let rest = ''
  let depth = 0
  /** Opens the element whose name begins at a place. */
  const readTag = (text: string, start: number): number => {
    let at = start
    let code = text.charCodeAt(at)
    while (code > blank && code !== tagEnd && code !== slash) code = text.charCodeAt(++at)
    const end = code === tagEnd ? at : endOfTag(text, at)
    if (end === -1) return -1
    const isEmpty = text.charCodeAt(end - 1) === slash
    const name = localName(text.slice(start, at))
    events.open(name, end === at ? '' : text.slice(at, isEmpty ? end - 1 : end))
    if (isEmpty) events.close(name)
    else depth += 1
    return end + 1
  }
  /** What begins with `<` at a place: the place after it, or -1 if it does not end in the text. */
  const readMarkup = (text: string, at: number): number => {
    const code = text.charCodeAt(at + 1)
    if (code === exclamation) return readDeclared(text, at, events)
    if (code === question) return after(text, '?>', at)
    if (code === slash) {
      const end = text.indexOf('>', at)
      if (end === -1) return -1
      depth -= 1
      if (depth < 0) throw damaged('closes what was not opened')
      const name = localName(text.slice(at + 2, end))
      events.close(text.charCodeAt(end - 1) > blank ? name : name.trimEnd())
      return end + 1
    }
    return readTag(text, at + 1)
  }
  return {
    write: (piece) => {
      const text = rest + piece
      let at = 0
      for (;;) {
        const next = text.indexOf('<', at)
        if (next === -1) break
        if (next > at && events.wantsText()) events.text(decodeEntities(text.slice(at, next)))
        at = next
        const end = readMarkup(text, next)
        if (end === -1) break
        at = end
      }
      rest = text.slice(at)
      if (rest.length > longest) throw new SheetFault(`A cell has more than ${longest} characters.`)
    },
    end: () => {
      if (depth !== 0 || rest.trim() !== '') throw damaged('ends before it is complete')
    },
  }
}

const localName = (name: string): string => {
  const colon = name.indexOf(':')
  return colon === -1 ? name : name.slice(colon + 1)
}

const after = (text: string, end: string, from: number): number => {
  const at = text.indexOf(end, from)
  return at === -1 ? -1 : at + end.length
}

/** A comment, or characters as they are; a document type could name files and grow without a limit. */
const readDeclared = (text: string, at: number, events: XmlEvents): number => {
  const start = text.slice(at, at + 9)
  if (start.startsWith('<!--')) return after(text, '-->', at + 4)
  if (start === '<![CDATA[') {
    const end = text.indexOf(']]>', at)
    if (end !== -1 && events.wantsText()) events.text(text.slice(at + 9, end))
    return end === -1 ? -1 : end + 3
  }
  if ('<!--'.startsWith(start) || '<![CDATA['.startsWith(start)) return -1
  throw damaged('has a document type, which no workbook has')
}

/** The `>` of a tag, which may also stand in the value of an attribute. */
const endOfTag = (text: string, from: number): number => {
  let inside = 0
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inside !== 0) {
      if (code === inside) inside = 0
    } else if (code === tagEnd) return at
    else if (code === quote || code === apostrophe) inside = code
  }
  return -1
}

const anyAttribute = /\s(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Reads the value of an attribute, whatever its prefix is. */
export const attribute = (name: string): ((attributes: string) => string | undefined) => {
  const [start, unusual, spaced] = [` ${name}="`, `${name}=`, `${name} `]
  return (attributes) => {
    // As nearly every program writes it.
    const at = attributes.indexOf(start)
    if (at !== -1 && !attributes.includes("'")) {
      const begin = at + start.length
      return decodeEntities(attributes.slice(begin, attributes.indexOf('"', begin)))
    }
    if (!attributes.includes(unusual) && !attributes.includes(spaced)) return undefined
    for (const [, local, double, single] of attributes.matchAll(anyAttribute))
      if (local === name) return decodeEntities(double ?? single ?? '')
    return undefined
  }
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

const decodeEntities = (text: string): string =>
  text.includes('&') ? text.replaceAll(/&([^;&]{0,12});?/g, expand) : text

const expand = (whole: string, name: string): string => {
  const [, hexadecimal, decimal] = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(name) ?? []
  const code =
    hexadecimal === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hexadecimal, 16)
  const known = code <= 0x10ffff ? String.fromCodePoint(code) : entities[name]
  if (known === undefined || !whole.endsWith(';')) throw damaged('has an entity that is not known')
  return known
}
