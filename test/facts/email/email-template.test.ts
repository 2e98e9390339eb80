/** E-mail templates are compiled, and their issues have a line. */
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  builtInTemplate,
  compileEmailTemplate,
  TemplateError,
} from '../../../src/outbox/email/email-template.ts'
import { loadTemplates } from '../../../src/outbox/email/template-library.ts'
import { renderTemplate } from '../../../src/templates/liquid-template.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const body = (text: string) => `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        ${text}
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`
const template = (subject: string, text: string) => `---\nsubject: ${subject}\n---\n${body(text)}`
const reading = { locale: undefined, timeZone: 'UTC' }
const rendered = async (text: string, data: object) =>
  renderTemplate((await compileEmailTemplate(template('x', text))).html, data, reading)

const errorOf = async (text: string): Promise<TemplateError> => {
  const error = await compileEmailTemplate(text).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof TemplateError, String(error))
  return error
}

describe('compiling a template', () => {
  test('MJML is compiled to HTML, and Liquid is evaluated for each recipient, also with line ends of Windows', async () => {
    const text = template('"{{ title }}: {{ record.total }}"', '<mj-text>Dear {{ name }}</mj-text>')
    for (const source of [text, text.replaceAll('\n', '\r\n')]) {
      const { subject, html } = await compileEmailTemplate(source)
      const data = { title: 'New', record: { total: '12.50' }, name: 'Anna & Bo' }
      assert.equal(renderTemplate(subject, data, reading), 'New: 12.50')
      assert.match(renderTemplate(html, data, reading), /^<!doctype html>.*Dear Anna &amp; Bo/is)
    }
  })

  test('HTML names the language of the template, else that of the project', async () => {
    const langOf = async (text: string, locale?: string) => {
      const { html } = await compileEmailTemplate(text, locale)
      return /<html[^>]* lang="([^"]*)"/.exec(renderTemplate(html, {}, reading))?.[1]
    }
    const text = builtInTemplate('de-AT')
    assert.equal(await langOf(text, 'de-AT'), 'de-AT')
    assert.equal(await langOf(text), 'en')
    assert.equal(await langOf(text.replace('<mjml>', '<mjml lang="hr">'), 'de-AT'), 'hr')
  })

  test('that of docs/email.md has a condition between its elements', async () => {
    const page = await readFile(new URL('../../../docs/email.md', import.meta.url), 'utf8')
    const [, text = ''] = /```\n(---\n[\s\S]*?)```/.exec(page) ?? []
    const { html } = await compileEmailTemplate(text)
    const textOf = (comment?: string) => renderTemplate(html, { comment }, reading)
    assert.match(textOf('Urgent'), /writes: Urgent/)
    assert.doesNotMatch(textOf(), /writes/)
  })

  test('values in attributes are escaped', async () => {
    const html = await rendered('<mj-button href="{{ url }}">Open</mj-button>', {
      url: 'https://d.example/"><script>alert(1)</script>',
    })
    assert.doesNotMatch(html, /<script>alert/)
    assert.match(html, /href="https:\/\/d\.example\/&#34;&gt;&lt;script&gt;/)
  })

  test('conditions work between elements, and a comparison with < is not parsed as an element, also in an attribute', async () => {
    const text = `<mj-image src="a.png" alt="{% if n < 2 %}few{% else %}many{% endif %}" /><mj-text>{% if n<2 %}Few{% endif %}</mj-text>
        <mj-raw>{% if n > 5 %}</mj-raw><mj-text>Very</mj-text><mj-raw>{% endif %}</mj-raw>`
    assert.match(await rendered(text, { n: 1 }), /alt="few".*>Few</s)
    for (const [n, isVery] of [
      [2, false],
      [6, true],
    ] as const) {
      const html = await rendered(text, { n })
      assert.match(html, /alt="many"/)
      assert.equal(html.includes('Very'), isVery)
    }
  })

  test('Liquid in comments and raw blocks is not evaluated', async () => {
    const html = await rendered(
      '<!-- {{ name }} --><mj-text>{% raw %}{{ name }}{% endraw %}{% comment %}{{ x }}{% endcomment %}</mj-text>',
      { name: 'Anna' },
    )
    assert.match(html, />\{\{ name \}\}</)
  })

  test('a template cannot read files or properties that are not its data', async () => {
    const directory = temporaryFolder()
    await writeFile(join(directory, 'secret.mjml'), '<mj-text>secret</mj-text>')
    const include = `<mj-text>x</mj-text><mj-include path="${join(directory, 'secret.mjml')}" />`
    const output = await compileEmailTemplate(template('x', include)).then(
      ({ html }) => renderTemplate(html, {}, reading),
      (error: Error) => error.message,
    )
    assert.doesNotMatch(output, /secret</)
    const names = '<mj-text>[{{ record.constructor }}{{ record.__proto__ }}{{ process }}]</mj-text>'
    assert.match(await rendered(names, { record: { a: 1 } }), /\[\]/)
  })
})

describe('issues of a template', () => {
  const lineOf = (source: string, mark: string) =>
    source.slice(0, source.indexOf(mark)).split('\n').length
  const text = (inside: string) => template('x', `<mj-text>${inside}</mj-text>`)
  const x = body('<mj-text>x</mj-text>')
  const cases: [title: string, text: string, mark: string, message: RegExp][] = [
    ['no front matter', x, '<mjml>', /lacks its subject/],
    ['an empty subject', template('', '<mj-text>x</mj-text>'), '---', /lacks its subject/],
    [
      'a subject with invalid Liquid',
      `---\nname: x\nsubject: {{ title | nothing }}\n---\n${x}`,
      ...(['subject:', /not a valid Liquid template: undefined filter: nothing/] as const),
    ],
    ['a tag that is not closed', text('\n{% if a %}x'), '{% if', /not a valid Liquid template/],
    [
      'Liquid between elements',
      text(
        '{% if a %}1{% endif %}</mj-text>\n{%  if a  %}<mj-text>2</mj-text>{% endif %}<mj-text>',
      ),
      ...([
        '{%  if a',
        /has \{% {2}if a {2}%\} where MJML drops it: put it into <mj-raw>/,
      ] as const),
    ],
    [
      'Liquid in a colour attribute',
      text('x</mj-text>\n<mj-text color="{{ colour }}">x'),
      ...([
        'color=',
        /Attribute color has invalid value: \{\{ colour \}\} for type Color/,
      ] as const),
    ],
    ['an unknown element', text('x</mj-text>\n<mj-txt>y</mj-txt><mj-text>'), '<mj-txt>', /mj-txt/],
  ]
  for (const [title, source, mark, message] of cases)
    test(`${title} is reported with its line`, async () => {
      const error = await errorOf(source)
      assert.match(error.message, message)
      assert.equal(error.line, lineOf(source, mark), error.message)
    })

  test('a template without MJML is reported', async () => {
    for (const source of ['', '<html><body>x</body></html>', '<mjml></mjml>'])
      assert.ok((await errorOf(`---\nsubject: x\n---\n${source}`)).message, source)
  })
})

describe('the templates of a project', () => {
  const directory = temporaryFolder()

  test('have the name of their file as id, and a template with an issue is a finding', async () => {
    // The folder is optional.
    assert.deepEqual((await loadTemplates(directory)).findings, [])
    const folder = join(directory, 'email-templates')
    await mkdir(folder)
    await writeFile(join(folder, 'order.mjml'), template('Order', '<mj-text>x</mj-text>'))
    await writeFile(join(folder, 'bad.mjml'), template('Bad', '<mj-text>{{ x | y }}</mj-text>'))
    await writeFile(join(folder, 'notes.txt'), 'not a template')
    const { library, findings } = await loadTemplates(directory)
    assert.deepEqual([...library.templates.keys()], ['order'])
    assert.equal(findings.length, 1)
    assert.partialDeepStrictEqual(findings[0], {
      file: 'email-templates/bad.mjml',
      line: 8,
      severity: 'error',
      message: 'is not a valid Liquid template: undefined filter: y',
    })
  })
})
