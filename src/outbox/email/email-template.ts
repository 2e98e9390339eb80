/**
 * E-mail templates that are rendered here: MJML with Liquid inside, the subject in the front matter. A
 * template is compiled once; the differences between recipients are Liquid.
 */
import { errorText } from '../../errors.ts'
import { type BuiltInTexts, builtInTexts } from '../../templates/built-in-texts.ts'
import {
  type LiquidTemplate,
  parseTemplate,
  type TemplateName,
} from '../../templates/liquid-template.ts'

/** A template that is ready to render. */
export type EmailTemplate = {
  readonly subject: LiquidTemplate
  readonly html: LiquidTemplate
  /** Every name in its file, with its line. */
  readonly names: readonly TemplateName[]
}

/** An issue of a template, and its place. */
export class TemplateError extends Error {
  /** Line of the file, from 1. */
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.name = 'TemplateError'
    this.line = line
  }
}

const frontMatter = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/

/** Compiles the text of a `.mjml` file, with notes in the language of the locale; throws a TemplateError. */
export const compileEmailTemplate = async (
  text: string,
  locale?: string,
): Promise<EmailTemplate> => {
  const [head = '', properties = ''] = frontMatter.exec(text) ?? []
  const [before = '', subject = ''] = splitAtSubject(properties)
  if (!subject)
    throw new TemplateError('lacks its subject: begin with "---", "subject: …", "---"', 1)
  const linesBefore = head.split('\n').length - 1
  const body = text.slice(head.length)
  // First as written, so that an issue is reported at its own line.
  const { names } = parseLiquid(body, 'html', linesBefore)
  const html = await compileMjml(body, { linesBefore, locale })
  // The first line of the file begins the front matter.
  const linesBeforeSubject = before.split('\n').length
  const title = parseLiquid(unquoted(subject), 'text', linesBeforeSubject)
  return {
    names: [...movedBy(linesBeforeSubject, title.names), ...movedBy(linesBefore, names)],
    subject: title,
    html: parseLiquid(withNotes(html, { names, locale }), 'html', 0),
  }
}

const movedBy = (lines: number, names: readonly TemplateName[]): TemplateName[] =>
  names.map((name) => ({ ...name, line: name.line + lines }))

const splitAtSubject = (properties: string): string[] => {
  const found = /^subject:[ \t]*(.*)$/m.exec(properties)
  return found ? [properties.slice(0, found.index), found[1]?.trim() ?? ''] : []
}

// Every e-mail names its missing attachments and its links.
const notesOf = (says: BuiltInTexts['mail']) => ({
  links: `{% for link in links %}<p>${says.link}</p>{% endfor %}`,
  missing: `{% for name in missing %}<p>${says.missing}</p>{% endfor %}`,
})

type Noted = { readonly names: readonly TemplateName[]; readonly locale: string | undefined }

const withNotes = (html: string, { names, locale }: Noted): string => {
  const named = new Set(names.map(({ segments }) => segments[0]))
  const notes = Object.entries(notesOf(builtInTexts(locale).mail))
  const added = notes.flatMap(([name, note]) => (named.has(name) ? [] : [note]))
  const end = html.lastIndexOf('</body>')
  return html.slice(0, end) + added.join('') + html.slice(end)
}

type Compiling = { readonly linesBefore: number; readonly locale: string | undefined }

const compileMjml = async (
  text: string,
  { linesBefore, locale = 'en' }: Compiling,
): Promise<string> => {
  // Loaded with the first template, so that a service that sends no e-mails does not need it.
  const { default: mjml } = await import('mjml')
  const { marked, tokens } = markLiquid(text)
  const unmarked = (made: string) =>
    made.replaceAll(mark, (_mark, index) => tokens[Number(index)]?.text ?? '')
  const result = await mjml(marked, {
    validationLevel: 'soft',
    // Templates are complete files: they include nothing from the disk or the web.
    ignoreIncludes: true,
    fonts: {},
  }).catch((error: Error) => {
    throw new TemplateError(`is not valid MJML: ${error.message.split('\n')[0]}`, linesBefore + 1)
  })
  const [first] = result.errors
  if (first) throw new TemplateError(unmarked(first.message).trim(), linesBefore + first.line)
  const lost = tokens.find((_token, index) => !result.html.includes(markOf(index)))
  if (lost)
    throw new TemplateError(
      `has ${lost.text} where MJML drops it: put it into <mj-raw>`,
      linesBefore + lost.line,
    )
  // Of a template that names no language.
  return unmarked(result.html.replaceAll(' lang="und"', ` lang="${locale}"`))
}

type Token = { readonly text: string; readonly line: number }

// Private use characters, which no template contains.
const mark = /\uE000(\d+)\uE001/g
const markOf = (index: number): string => `\uE000${index}\uE001`

/** Hides Liquid from MJML, which would parse its "<" as elements, and checks that MJML keeps all of it. */
const markLiquid = (text: string): { marked: string; tokens: readonly Token[] } => {
  const tokens: Token[] = []
  const liquid = /<!--[\s\S]*?-->|\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g
  const marked = text.replaceAll(mark, '').replaceAll(liquid, (found, offset: number) => {
    if (found.startsWith('<!--')) return found
    const lines = found.split('\n').length - 1
    tokens.push({ text: found, line: text.slice(0, offset).split('\n').length })
    // Line numbers stay the same, so that issues are reported at their own lines.
    return markOf(tokens.length - 1) + '\n'.repeat(lines)
  })
  return { marked, tokens }
}

const parseLiquid = (text: string, kind: 'text' | 'html', linesBefore: number): LiquidTemplate => {
  try {
    return parseTemplate(text, kind)
  } catch (error) {
    const [first = ''] = errorText(error).split('\n')
    const [, message = first, line = '1'] = /^(.*), line:(\d+), col:\d+$/.exec(first) ?? []
    throw new TemplateError(
      `is not a valid Liquid template: ${message}`,
      linesBefore + Number(line),
    )
  }
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text

type Parts = { readonly subject: string; readonly body: string; readonly foot: string }

/** A template that looks as all that are built in do. */
const framed = ({ subject, body, foot }: Parts): string => `---
subject: "${subject}"
---
<mjml>
  <mj-head>
    <mj-title>${subject}</mj-title>
    <mj-attributes>
      <mj-all font-family="Helvetica, Arial, sans-serif" color="#1f2933" />
      <mj-text font-size="16px" line-height="24px" />
    </mj-attributes>
  </mj-head>
  <mj-body background-color="#f4f5f7">
    <mj-section background-color="#ffffff" padding="32px 16px">
      <mj-column>
        ${body}
      </mj-column>
    </mj-section>
    <mj-section padding="16px">
      <mj-column>
        <mj-text font-size="12px" line-height="18px" color="#6b7280">${foot}</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`

/** Used if a project has no template of its own. */
export const builtInTemplate = (locale?: string): string => {
  const { mail: says } = builtInTexts(locale)
  return framed({
    subject: '{{ title }}',
    body: `<mj-text font-size="20px" line-height="28px" font-weight="bold">{{ title }}</mj-text>
        <mj-text>${says.dear}</mj-text>
        <mj-text>{{ message | escape | newline_to_br | raw }}</mj-text>
        <mj-raw>{% if comment and message_has_comment != true %}</mj-raw>
        <mj-text font-style="italic">{{ comment | escape | newline_to_br | raw }}</mj-text>
        <mj-raw>{% endif %}{% if url %}</mj-raw>
        <mj-button background-color="#1f5fbf" color="#ffffff" href="{{ url }}">${says.open}</mj-button>
        <mj-raw>{% endif %}{% for link in links %}</mj-raw>
        <mj-text>${says.link}</mj-text>
        <mj-raw>{% endfor %}{% for name in missing %}</mj-raw>
        <mj-text color="#b42318">${says.missing}</mj-text>
        <mj-raw>{% endfor %}</mj-raw>`,
    foot: `{{ entity.name }}{% if unsubscribe_url %} · <a href="{{ unsubscribe_url }}" style="color:#6b7280">${says.unsubscribe}</a>{% endif %}`,
  })
}

/** The template of digests, what was held for a person in one e-mail, in the language of its reader. */
export const digestTemplate = (locale?: string): string => {
  const { mail, digest: says } = builtInTexts(locale)
  return framed({
    subject: says.subject,
    body: `<mj-text>${mail.dear}</mj-text>
        <mj-raw>{% for item in items %}</mj-raw>
        <mj-text font-weight="bold" padding-bottom="0">{% if item.url %}<a href="{{ item.url }}" style="color:#1f5fbf">{{ item.title }}</a>{% else %}{{ item.title }}{% endif %}</mj-text>
        <mj-text font-size="12px" line-height="18px" color="#6b7280" padding-top="0" padding-bottom="0">{{ item.entity }} · {{ item.at | local_date }}{% if item.has_files %} · ${says.files}{% endif %}</mj-text>
        <mj-text padding-top="0">{{ item.message | escape | newline_to_br | raw }}</mj-text>
        <mj-raw>{% endfor %}{% if more > 0 %}</mj-raw>
        <mj-text>${says.more}</mj-text>
        <mj-raw>{% endif %}</mj-raw>`,
    foot: `<a href="{{ settings_url }}" style="color:#6b7280">${says.settings}</a> · <a href="{{ unsubscribe_url }}" style="color:#6b7280">${mail.unsubscribe}</a>`,
  })
}
