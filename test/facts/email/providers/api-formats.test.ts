/** The requests to the APIs of providers, as their references describe them; what SES gets as MIME is in mime-messages. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Email, EmailProvider } from '../../../../src/outbox/email/email.ts'
import { sesProvider } from '../../../../src/outbox/email/providers/ses-provider.ts'
import {
  allBytes,
  anEmail,
  attachment,
  deliveryErrorOf,
  hostileTexts,
  neverAborted,
  replyTo,
  sender,
} from '../../../support/email/an-email.ts'
import {
  type Api,
  type ProviderName,
  requestFor,
  secret,
  sesOptions,
  startProvider,
} from '../../../support/email/providers/an-api.ts'

let api: Api
let provider: EmailProvider
/** Starts a provider for the tests of a suite. */
const use = (name: ProviderName) => {
  before(async () => {
    ;({ api, provider } = await startProvider[name]())
  })
  after(async () => {
    await provider.close()
    await api.stop()
  })
}
const bodyOf = async (values: Partial<Email> = {}) =>
  JSON.parse(String((await requestFor(api, provider, values)).body))

const messageId = '<event-1.0.7@docket.example.com>'
const carrying: Partial<Email> = {
  attachments: [attachment('narudžba.bin', allBytes)],
  unsubscribeUrl: 'https://d.example/u?token=a.b',
}
const base64 = allBytes.toString('base64')
const mimetype = 'application/octet-stream'
const automatic = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'OOF, AutoReply',
}
const headers = {
  ...automatic,
  'List-Unsubscribe': '<https://d.example/u?token=a.b>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
}
const listOf = (named: Readonly<Record<string, string>>) =>
  Object.entries(named).map(([Name, Value]) => ({ Name, Value }))

/** What every API has to transmit unchanged. */
const templateData = {
  title: 'Order "PO-1" <b>approved</b>',
  record: { full_name: 'Žofija', someField: 1, nested: { inner_key: [1, { deep_key: null }] } },
  recipient: { id: 7, full_name: 'Anna Example', email: 'anna@example.com' },
  comment: null,
}
const by = (templateId: string, data: Email['templateData'] = templateData): Partial<Email> => ({
  templateId,
  templateData: data,
  html: undefined,
})

/** The request by which a provider is asked for an e-mail, and what it makes of the answers. */
const askWhetherTaken = async (answers: readonly object[]) => {
  const earlier = api.asked.length
  const { next } = api
  const found = []
  for (const body of answers) {
    api.next = { status: 200, body }
    found.push(await provider.hasTaken?.(messageId, neverAborted))
  }
  api.next = next
  const { method, path } = api.asked[earlier] ?? assert.fail()
  const { pathname, searchParams } = new URL(path, api.url)
  return { found, request: `${method} ${pathname}`, searchParams }
}

describe('Mailgun (v3 Messages)', () => {
  use('Mailgun')
  const formOf = async (values: Partial<Email>) => {
    const { headers: sent, body } = await requestFor(api, provider, values)
    const type = sent['content-type'] ?? ''
    return new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData()
  }

  test('an e-mail is sent with both parts, its message id and its reply address', async () => {
    const { method, path, headers: sent } = await requestFor(api, provider)
    assert.deepEqual([method, path], ['POST', '/v3/mg.example.com/messages'])
    assert.equal(sent.authorization, `Basic ${Buffer.from(`api:${secret}`).toString('base64')}`)
    assert.deepEqual(Object.fromEntries(await formOf({})), {
      from: `"Docket \\"of\\" Žagreb" <${sender.address}>`,
      to: '"Anna Example" <anna@example.com>',
      subject: 'Order PO-1',
      text: 'Dear Anna,\r\n\r\nPO-1 was approved.',
      html: '<p>Dear Anna,</p><p>PO-1 was approved.</p>',
      'h:Reply-To': replyTo,
      'h:Auto-Submitted': 'auto-generated',
      'h:X-Auto-Response-Suppress': 'OOF, AutoReply',
      'h:Message-Id': messageId,
    })
  })

  test('hasTaken looks for the message id in the events', async () => {
    const answers = [{ items: [{ event: 'accepted' }], paging: {} }, { items: [] }]
    const { found, request, searchParams } = await askWhetherTaken(answers)
    assert.deepEqual([found, request], [[true, false], 'GET /v3/mg.example.com/events'])
    assert.equal(searchParams.get('message-id'), messageId.slice(1, -1))
  })

  test('a template gets its data, attachments and the unsubscribe link', async () => {
    const part = { filename: 'a.pdf', mimetype: 'application/pdf', data: allBytes.subarray(5, 50) }
    const attachments = [...(carrying.attachments ?? []), part]
    const form = await formOf({ ...by('approved'), ...carrying, attachments })
    const named = ['template', 'text', 'html'].map((name) => form.get(name))
    assert.deepEqual(named, ['approved', null, null])
    assert.deepEqual(JSON.parse(String(form.get('t:variables'))), templateData)
    const files = form.getAll('attachment').map((file) => file as File)
    const sent = files.map(async (file) => [file.name, file.type, await file.bytes()])
    assert.deepEqual(
      await Promise.all(sent),
      attachments.map((one) => [one.filename, one.mimetype, new Uint8Array(one.data)]),
    )
    for (const [name, value] of Object.entries(headers)) assert.equal(form.get(`h:${name}`), value)
  })

  test('hostile texts add no field and no recipient', async () => {
    const known = [...(await formOf({ attachments: [attachment('a')] })).keys()]
    for (const text of hostileTexts) {
      const to = { name: text, address: 'anna@example.com' }
      const form = await formOf({ to, subject: text, attachments: [attachment(text)] })
      assert.deepEqual([...form.keys()], known)
      // Only the address is outside of the quotes, and there is no line break.
      assert.match(String(form.get('to')), /^"(?:[^"\\\r\n]|\\.)*" <anna@example\.com>$/)
    }
  })
})

describe('Postmark', () => {
  use('Postmark')
  const docketId = createHash('sha256').update(messageId).digest('hex')
  const common = {
    From: `"Docket \\"of\\" Žagreb" <${sender.address}>`,
    To: '"Anna Example" <anna@example.com>',
    ReplyTo: replyTo,
    Metadata: { docket_id: docketId },
  }
  const idHeaders = listOf({ 'Message-ID': messageId, 'X-PM-KeepID': 'true' })

  test('an e-mail is sent with both parts, its ids and its reply address', async () => {
    const { method, path, headers: sent, body } = await requestFor(api, provider)
    assert.deepEqual([method, path], ['POST', '/email'])
    assert.equal(sent['x-postmark-server-token'], secret)
    assert.deepEqual(JSON.parse(String(body)), {
      ...common,
      Subject: 'Order PO-1',
      TextBody: 'Dear Anna,\n\nPO-1 was approved.',
      HtmlBody: '<p>Dear Anna,</p><p>PO-1 was approved.</p>',
      Headers: [...listOf(automatic), ...idHeaders],
      Attachments: [],
    })
  })

  test('hasTaken looks for the message id in the list of messages', async () => {
    const answers = [1, 0].map((TotalCount) => ({ TotalCount, Messages: [] }))
    const { found, request, searchParams } = await askWhetherTaken(answers)
    assert.deepEqual([found, request], [[true, false], 'GET /messages/outbound'])
    assert.equal(searchParams.get('metadata_docket_id'), docketId)
  })

  test('a template, by number or alias, gets its data, attachments and the unsubscribe link', async () => {
    const file = { Name: 'narudžba.bin', ContentType: mimetype, Content: base64, ContentID: null }
    for (const [templateId, name] of [
      ['1234', { TemplateId: 1234 }],
      ['approved-1', { TemplateAlias: 'approved-1' }],
    ] as const) {
      const { path, body } = await requestFor(api, provider, { ...by(templateId), ...carrying })
      assert.equal(path, '/email/withTemplate')
      assert.deepEqual(JSON.parse(String(body)), {
        ...common,
        ...name,
        TemplateModel: templateData,
        Headers: [...listOf(headers), ...idHeaders],
        Attachments: [file],
      })
    }
  })
})

describe('SendGrid (v3 Mail Send)', () => {
  use('SendGrid')
  const to = [{ name: 'Anna Example', email: 'anna@example.com' }]
  const common = {
    from: { name: sender.name, email: sender.address },
    reply_to: { email: replyTo },
    subject: 'Order PO-1',
  }

  test('an e-mail is sent with both parts, its message id and its reply address', async () => {
    const { method, path, headers: sent, body } = await requestFor(api, provider)
    assert.deepEqual([method, path], ['POST', '/v3/mail/send'])
    assert.equal(sent.authorization, `Bearer ${secret}`)
    assert.deepEqual(JSON.parse(String(body)), {
      ...common,
      personalizations: [{ to }],
      headers: { ...automatic, 'Message-ID': messageId },
      content: [
        { type: 'text/plain', value: 'Dear Anna,\n\nPO-1 was approved.' },
        { type: 'text/html', value: '<p>Dear Anna,</p><p>PO-1 was approved.</p>' },
      ],
    })
  })

  test('a template gets its data, attachments and the unsubscribe link', async () => {
    const filename = 'narudžba.bin'
    assert.deepEqual(await bodyOf({ ...by('d-1234'), ...carrying }), {
      ...common,
      template_id: 'd-1234',
      personalizations: [{ to, dynamic_template_data: templateData }],
      attachments: [{ filename, type: mimetype, disposition: 'attachment', content: base64 }],
      headers: { ...headers, 'Message-ID': messageId },
    })
  })

  test('a legacy template gets its data as substitutions by path', async () => {
    const { template_id, personalizations } = await bodyOf(by('0a1b'))
    assert.equal(template_id, '0a1b')
    const [{ dynamic_template_data, substitutions }] = personalizations
    assert.equal(dynamic_template_data, undefined)
    assert.partialDeepStrictEqual(substitutions, {
      '{{title}}': templateData.title,
      '{{record.full_name}}': 'Žofija',
      '{{record.someField}}': '1',
      '{{recipient.email}}': 'anna@example.com',
      '{{comment}}': '',
    })
  })

  test('data beyond the limit of a legacy template is not retried, and the message names the alternative', async () => {
    // With the name and the quotes around it.
    const dataOf = (bytes: number) => ({ title: 'x'.repeat(bytes - '{"title":""}'.length) })
    assert.equal((await bodyOf(by('0a1b', dataOf(10_000)))).template_id, '0a1b')
    const email = anEmail(by('0a1b', dataOf(10_001)))
    const { retryable, message } = await deliveryErrorOf(provider, email)
    assert.equal(retryable, false)
    assert.match(message, /10001 bytes, and a legacy template takes 10000; use a dynamic template/)
  })
})

describe('Amazon SES (v2 SendEmail)', () => {
  use('SES')
  test('an e-mail is sent as raw MIME, signed for its region', async () => {
    const { method, path, headers: sent, body } = await requestFor(api, provider)
    assert.deepEqual([method, path], ['POST', '/v2/email/outbound-emails'])
    assert.match(
      sent.authorization ?? '',
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/ses\/aws4_request, /,
    )
    const { Content, ...rest } = JSON.parse(String(body))
    assert.deepEqual(rest, {
      FromEmailAddress: `=?UTF-8?B?${Buffer.from(sender.name).toString('base64')}?= <${sender.address}>`,
      Destination: { ToAddresses: ['anna@example.com'] },
      ReplyToAddresses: [replyTo],
    })
    assert.deepEqual(Object.keys(Content), ['Raw'])
  })

  test('a template gets its data, attachments and the unsubscribe link', async () => {
    const { Content } = await bodyOf({ ...by('approved'), ...carrying })
    assert.deepEqual(Object.keys(Content), ['Template'])
    const { TemplateData, ...rest } = Content.Template
    assert.deepEqual(JSON.parse(TemplateData), templateData)
    assert.deepEqual(rest, {
      TemplateName: 'approved',
      Headers: listOf(headers),
      Attachments: [{ FileName: 'narudžba.bin', ContentType: mimetype, RawContent: base64 }],
    })
  })

  test('a long sender name is encoded in several words, a name with quotes is quoted', async (t) => {
    for (const [name, expected] of [
      ['株式会社'.repeat(9), /^(=\?UTF-8\?B\?[\w+/=]{1,63}\?= )+<docket@example\.com>$/],
      ['Docket\r\nBcc: eve', /^"Docket Bcc: eve" <docket@example\.com>$/],
      ['"D" \\', /^"\\"D\\" \\\\" <docket@example\.com>$/],
    ] as const) {
      const from = { ...sender, name }
      const other = await sesProvider({ ...sesOptions, apiUrl: api.url, sender: from })
      t.after(other.close)
      const { body } = await requestFor(api, other, { templateId: 'approved' })
      assert.match(JSON.parse(String(body)).FromEmailAddress, expected)
    }
  })
})
