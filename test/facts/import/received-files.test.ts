/** Files that are received and opened, two at once. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { createFileReads } from '../../../src/import/read-file.ts'
import { afterwards } from '../../support/afterwards.ts'

test('a third file at once, and one that is too large, are refused before they are received', async () => {
  const reads = createFileReads({
    openPool: () => {
      throw new Error('No file is read to its end.')
    },
    observe: () => undefined,
    limitBytes: 100,
  })
  afterwards(reads.stop)
  const open = (body: PassThrough, bytes = 0) => reads.open({ body, bytes }, {})
  const refused = async (code: string, bytes?: number) => {
    const body = new PassThrough()
    await assert.rejects(open(body, bytes), { code })
    assert.equal(body.readableFlowing, null)
  }
  await refused('request.too-large', 101)
  const [cut, sent] = [new PassThrough(), new PassThrough()]
  const [first, second] = [open(cut), open(sent)]
  await refused('request.saturated')
  cut.destroy()
  await assert.rejects(first, { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  sent.end('number,title\n1,One\n')
  const { sheet, close } = await second
  assert.deepEqual([sheet.heads, sheet.sample.length], [['number', 'title'], 1])
  await close()
  const large = new PassThrough()
  large.end('x'.repeat(101))
  await assert.rejects(open(large), { code: 'request.too-large' })
})
