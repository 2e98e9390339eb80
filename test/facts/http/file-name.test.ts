/** Names of PDFs: made of code and record, safe in a folder, a header and an e-mail, in every script. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dispositionOf, documentName } from '../../../src/http/file-name.ts'

const names = [
  ['order', 'PO-2026-00017', 'order-PO-2026-00017.pdf'],
  ['order', 'v1.2_final', 'order-v1.2_final.pdf'],
  // Any script, composed.
  ['order', 'Žito & sinovi', 'order-Žito-sinovi.pdf'],
  ['order', 'Z\u030Cito', 'order-Žito.pdf'],
  ['narudžba', '采购订单 7', 'narudžba-采购订单-7.pdf'],
  ['order', 'أمر شراء', 'order-أمر-شراء.pdf'],
  // Without a title, by its id.
  ['order', null, 'order-7.pdf'],
  ['order', undefined, 'order-7.pdf'],
  ['order', '', 'order-7.pdf'],
  ['order', '…!?', 'order-7.pdf'],
  ['order', true, 'order-7.pdf'],
  ['order', { a: 1 }, 'order-7.pdf'],
  ['!', 'a', 'document-a.pdf'],
  ['', null, 'document-7.pdf'],
  // Characters with a meaning in a folder, a header, a shell or a reader.
  ['../../etc/passwd', '../../x', 'etc-passwd-x.pdf'],
  ['order', 'a/b\\c:d*e?f"g<h>i|j', 'order-a-b-c-d-e-f-g-h-i-j.pdf'],
  ['order', 'a\r\nBcc: x@example.com', 'order-a-Bcc-x-example.com.pdf'],
  ['order', 'a\0b', 'order-a-b.pdf'],
  ['order', 'fdp\u202Eexe', 'order-fdp-exe.pdf'],
  ['order', 'half \uD800 pair', 'order-half-pair.pdf'],
  ['order', '-rf', 'order-rf.pdf'],
  ['order', '.hidden.', 'order-hidden.pdf'],
  ['order', 'a....b', 'order-a.b.pdf'],
  ['CON', 'x', 'CON-x.pdf'],
  ['order', '📦 box', 'order-box.pdf'],
] as const
test('a document is named after its code and its title, or the id', () => {
  for (const [code, title, name] of names) assert.equal(documentName(code, title, 7), name)
})

test('a name has at most 100 characters, including the extension', () => {
  assert.equal(documentName('order', 'x'.repeat(300), 7), `order-${'x'.repeat(94)}.pdf`)
  assert.equal(documentName('order', `${'x'.repeat(93)} y`, 7), `order-${'x'.repeat(93)}.pdf`)
})

test('a name fits into the byte limit of a folder, and ends with a complete character', () => {
  for (const letter of ['ž', '采', '𠀀'])
    for (const code of ['order', letter.repeat(63)]) {
      const name = documentName(code, letter.repeat(300), 7)
      // The name while it is being written.
      assert.ok(Buffer.byteLength(`${name}.part`) <= 255, name)
      assert.ok(name.isWellFormed())
      assert.ok(name.startsWith(code.slice(0, 9)) && name.endsWith(`${letter}.pdf`), name)
    }
})

test('a name is sent to every client', () => {
  for (const [name, disposition] of [
    ['order-7.pdf', 'inline; filename="order-7.pdf"'],
    ['Žito.pdf', `inline; filename="Zito.pdf"; filename*=UTF-8''%C5%BDito.pdf`],
    ['đak.pdf', `inline; filename="_ak.pdf"; filename*=UTF-8''%C4%91ak.pdf`],
    ['采购.pdf', `inline; filename="__.pdf"; filename*=UTF-8''%E9%87%87%E8%B4%AD.pdf`],
  ] as const)
    assert.equal(dispositionOf('inline', name), disposition)
})
