/** The documents of the example write amounts and dates as notifications and the console do, in its languages. */
import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { parseTemplate, renderTemplate } from '../../../src/templates/liquid-template.ts'
import { createAs } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { askFor, shareDocuments } from './a-document-project.ts'

const locales = ['en-GB', 'de', 'hr'] as const
const amounts = ['0', '-12.5', '999.99', '1895.01', '1234567.50']
const days = Array.from(
  { length: 12 },
  (_, month) => `2026-${String(month + 1).padStart(2, '0')}-05`,
)
const format = new URL('../../../example/printable-documents/format.typ', import.meta.url)

/** Every value on a line of its own. */
const printed = (language: string) => `#import "format.typ": amount, day
#set text(lang: "${language}")
${amounts.map((value) => `#amount("${value}", "EUR") \\`).join('\n')}
${days.map((value) => `#day("${value}") \\`).join('\n')}`

let service: TestService
before(async () => {
  service = await shareDocuments()
  await copyFile(format, join(service.project.directory, 'printable-documents', 'format.typ'))
  for (const locale of locales) {
    const code = locale.slice(0, 2)
    await createAs(service, 'printable_document', {
      code,
      name: code,
      entity_key: 'user',
      template_source: printed(code),
    })
  }
})

for (const locale of locales)
  test(`amounts and days in ${locale} are those of the filters`, async () => {
    const reply = await askFor(service, `/user/1/documents/${locale.slice(0, 2)}`)
    const { pages } = await reply.pdf()
    const filtered = (template: string, value: string) =>
      renderTemplate(parseTemplate(template), { value }, { locale, timeZone: 'UTC' })
    const expected = [
      ...amounts.map((value) => filtered('{{ value | number: "EUR" }}', Number(value).toFixed(2))),
      ...days.map((value) => filtered('{{ value | local_date }}', value)),
    ]
    const plain = (text: string) =>
      text
        .replaceAll(/[\s\u00a0]+/g, ' ')
        .replaceAll('−', '-')
        .trim()
    assert.deepEqual((pages[0] ?? '').trim().split('\n').map(plain), expected.map(plain))
  })
