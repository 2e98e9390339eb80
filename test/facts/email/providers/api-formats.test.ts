/** The requests to the APIs of providers, as their references describe them; what SES gets as MIME is in mime-messages. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { EmailProvider } from '../../../../src/email/provider.ts'
import { sesProvider } from '../../../../src/email/providers/ses-provider.ts'
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
  templateData,
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
const bodyOf = async (values: object = {}) =>
  JSON.parse(String((await requestFor(api, provider, values)).body))
const withAttachment = {
  attachments: [attachment('narudžba.bin', allBytes)],
  unsubscribeUrl: 'https://d.example/u?token=a.b',
}
const automatic = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'OOF, AutoReply',
}
const automaticHeaders = {
  ...automatic,
  'List-Unsubscribe': '<https://d.example/u?token=a.b>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
}
/** The same as a list. */
const headerList = Object.entries(automaticHeaders).map(([Name, Value]) => ({ Name, Value }))
const quotedRecipient = /^"(?:[^"\\\r\n]|\\.)*" <anna@example\.com>$/
/** The addresses of the requests by which a provider is asked for an e-mail, and its answers. */
const askWhetherTaken = async (name: 'Mailgun' | 'Postmark', answers: readonly object[]) => {
  const { api: own, provider: asked } = await startProvider[name]()
  const found = []
  for (const body of answers) {
    own.next = { status: 200, body }
    found.push(await asked.hasTaken?.('<event-1.0.7@docket.example.com>', neverAborted))
  }
  await own.stop()
  const [first] = own.asked
  assert.equal(first?.method, 'GET')
  const { pathname, searchParams } = new URL(first?.path ?? '', own.url)
  return { found, pathname, searchParams }
}
const hostileEmail = (text: string) => ({
  to: { name: text, address: 'anna@example.com' },
  subject: text,
  attachments: [attachment(text)],
})

describe('Mailgun (v3 Messages)', () => {
  use('Mailgun')
  const formOf = async (values: object = {}) => {
    const { headers, body } = await requestFor(api, provider, values)
    const type = headers['content-type'] ?? ''
    return new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData()
  }

  const from = `"Docket \\"of\\" Žagreb" <${sender.address}>`

  test('an e-mail is sent with both parts, its message id and its reply address', async () => {
    const { method, path, headers } = await requestFor(api, provider)
    assert.deepEqual([method, path], ['POST', '/v3/mg.example.com/messages'])
    assert.equal(headers.authorization, `Basic ${Buffer.from(`api:${secret}`).toString('base64')}`)
    assert.match(headers['content-type'] ?? '', /^multipart\/form-data/)
    assert.deepEqual(Object.fromEntries(await formOf()), {
      from,
      to: '"Anna Example" <anna@example.com>',
      subject: 'Order PO-1',
      text: 'Dear Anna,\r\n\r\nPO-1 was approved.',
      html: '<p>Dear Anna,</p><p>PO-1 was approved.</p>',
      'h:Reply-To': replyTo,
      'h:Auto-Submitted': 'auto-generated',
      'h:X-Auto-Response-Suppress': 'OOF, AutoReply',
      'h:Message-Id': '<event-1.0.7@docket.example.com>',
    })
  })

  test('hasTaken looks for the message id in the events', async () => {
    const { found, pathname, searchParams } = await askWhetherTaken('Mailgun', [
      { items: [{ event: 'accepted' }], paging: {} },
      { items: [], paging: {} },
    ])
    assert.deepEqual([found, pathname], [[true, false], '/v3/mg.example.com/events'])
    assert.equal(searchParams.get('message-id'), 'event-1.0.7@docket.example.com')
  })

  test('a Mailgun template gets its data unchanged', async () => {
    const form = await formOf({ templateId: 'approved', templateData, html: undefined })
    assert.equal(form.get('template'), 'approved')
    assert.deepEqual(JSON.parse(String(form.get('t:variables'))), templateData)
    assert.deepEqual([form.get('text'), form.get('html')], [null, null])
  })

  test('attachments and the unsubscribe link are sent', async () => {
    const part = { filename: 'a.pdf', mimetype: 'application/pdf', data: allBytes.subarray(5, 50) }
    const attachments = [...withAttachment.attachments, part]
    const form = await formOf({ ...withAttachment, attachments })
    const files = form.getAll('attachment').map((file) => file as File)
    assert.equal(files.length, 2)
    for (const [index, { filename, mimetype, data }] of attachments.entries()) {
      const file = files[index] ?? assert.fail()
      assert.deepEqual([file.name, file.type], [filename, mimetype])
      assert.ok(Buffer.from(await file.arrayBuffer()).equals(data))
    }
    for (const [name, value] of Object.entries(automaticHeaders))
      assert.equal(form.get(`h:${name}`), value)
  })

  test('hostile texts add no field and no recipient', async () => {
    const known = [...(await formOf({ attachments: [attachment('a')] })).keys()]
    for (const text of hostileTexts) {
      const form = await formOf(hostileEmail(text))
      assert.deepEqual([...form.keys()], known)
      // Only the address is outside of the quotes, and there is no line break.
      assert.match(String(form.get('to')), quotedRecipient)
    }
  })
})

describe('Postmark', () => {
  use('Postmark')
  // SHA-256 of the message id.
  const docketId = createHash('sha256').update('<event-1.0.7@docket.example.com>').digest('hex')
  const idHeaders = [
    { Name: 'Message-ID', Value: '<event-1.0.7@docket.example.com>' },
    { Name: 'X-PM-KeepID', Value: 'true' },
  ]

  test('an e-mail is sent with both parts, its message id and its reply address', async () => {
    const { method, path, headers, body } = await requestFor(api, provider)
    assert.deepEqual([method, path], ['POST', '/email'])
    assert.equal(headers['x-postmark-server-token'], secret)
    assert.deepEqual(JSON.parse(String(body)), {
      From: `"Docket \\"of\\" Žagreb" <${sender.address}>`,
      To: '"Anna Example" <anna@example.com>',
      ReplyTo: replyTo,
      Subject: 'Order PO-1',
      TextBody: 'Dear Anna,\n\nPO-1 was approved.',
      HtmlBody: '<p>Dear Anna,</p><p>PO-1 was approved.</p>',
      Headers: [
        ...Object.entries(automatic).map(([Name, Value]) => ({ Name, Value })),
        ...idHeaders,
      ],
      Metadata: { docket_id: docketId },
      Attachments: [],
    })
  })

  test('hasTaken looks for the message id in the list of messages', async () => {
    const { found, pathname, searchParams } = await askWhetherTaken('Postmark', [
      { TotalCount: 1, Messages: [] },
      { TotalCount: 0, Messages: [] },
    ])
    assert.deepEqual([found, pathname], [[true, false], '/messages/outbound'])
    assert.equal(searchParams.get('metadata_docket_id'), docketId)
  })

  test('a Postmark template is named by number or alias and gets its data unchanged', async () => {
    for (const [templateId, name] of [
      ['1234', { TemplateId: 1234 }],
      ['approved-1', { TemplateAlias: 'approved-1' }],
    ] as const) {
      const { path, body } = await requestFor(api, provider, { templateId, templateData })
      assert.equal(path, '/email/withTemplate')
      const { From, To, ReplyTo, Headers, Metadata, Attachments, ...rest } = JSON.parse(
        String(body),
      )
      assert.deepEqual(rest, { ...name, TemplateModel: templateData })
    }
  })

  test('attachments and the unsubscribe link are sent', async () => {
    const { Attachments, Headers } = await bodyOf(withAttachment)
    const [{ Content, ...rest }] = Attachments
    assert.deepEqual(rest, {
      Name: 'narudžba.bin',
      ContentType: 'application/octet-stream',
      ContentID: null,
    })
    assert.ok(Buffer.from(Content, 'base64').equals(allBytes))
    assert.deepEqual(Headers, [...headerList, ...idHeaders])
  })

  test('hostile texts add no recipient', async () => {
    for (const text of hostileTexts) {
      const { To, Subject, Attachments } = await bodyOf(hostileEmail(text))
      assert.match(To, quotedRecipient)
      assert.deepEqual([Subject, Attachments[0].Name], [text, text])
    }
  })
})

describe('SendGrid (v3 Mail Send)', () => {
  use('SendGrid')
  test('an e-mail is sent with both parts, its message id and its reply address', async () => {
    const { method, path, headers, body } = await requestFor(api, provider)
    assert.deepEqual([method, path], ['POST', '/v3/mail/send'])
    assert.equal(headers.authorization, `Bearer ${secret}`)
    assert.equal(headers['content-type'], 'application/json')
    assert.deepEqual(JSON.parse(String(body)), {
      from: { name: sender.name, email: sender.address },
      reply_to: { email: replyTo },
      personalizations: [{ to: [{ name: 'Anna Example', email: 'anna@example.com' }] }],
      subject: 'Order PO-1',
      headers: { ...automatic, 'Message-ID': '<event-1.0.7@docket.example.com>' },
      content: [
        { type: 'text/plain', value: 'Dear Anna,\n\nPO-1 was approved.' },
        { type: 'text/html', value: '<p>Dear Anna,</p><p>PO-1 was approved.</p>' },
      ],
    })
  })

  test('a SendGrid template gets its data unchanged', async () => {
    const body = await bodyOf({ templateId: 'd-1234', templateData, html: undefined })
    assert.equal(body.template_id, 'd-1234')
    assert.equal(body.content, undefined)
    assert.deepEqual(body.personalizations, [
      {
        to: [{ name: 'Anna Example', email: 'anna@example.com' }],
        dynamic_template_data: templateData,
      },
    ])
  })

  test('a legacy SendGrid template gets its data as substitutions by path', async () => {
    const body = await bodyOf({ templateId: '0a1b', templateData, html: undefined })
    assert.equal(body.template_id, '0a1b')
    const [{ dynamic_template_data, substitutions }] = body.personalizations
    assert.equal(dynamic_template_data, undefined)
    assert.equal(substitutions['{{title}}'], templateData.title)
    assert.equal(substitutions['{{record.full_name}}'], 'Žofija')
    assert.equal(substitutions['{{record.someField}}'], '1')
    assert.equal(substitutions['{{recipient.email}}'], 'anna@example.com')
    assert.equal(substitutions['{{comment}}'], '')
  })

  test('data beyond the limit of a legacy template is not retried, and the message names the alternative', async () => {
    const large = { ...templateData, title: 'x'.repeat(10_000) }
    const email = anEmail({ templateId: '0a1b', templateData: large, html: undefined })
    const { retryable, message } = await deliveryErrorOf(provider, email)
    assert.equal(retryable, false)
    assert.match(message, /legacy template takes 10000; use a dynamic template/)
  })

  test('attachments and the unsubscribe link are sent', async () => {
    const body = await bodyOf(withAttachment)
    const [{ content, ...rest }] = body.attachments
    assert.deepEqual(rest, {
      filename: 'narudžba.bin',
      type: 'application/octet-stream',
      disposition: 'attachment',
    })
    assert.ok(Buffer.from(content, 'base64').equals(allBytes))
    assert.deepEqual(body.headers, {
      ...automaticHeaders,
      'Message-ID': '<event-1.0.7@docket.example.com>',
    })
  })

  test('hostile texts are sent as values', async () => {
    for (const text of hostileTexts) {
      const body = await bodyOf(hostileEmail(text))
      assert.deepEqual(body.personalizations, [{ to: [{ name: text, email: 'anna@example.com' }] }])
      assert.equal(body.subject, text)
      assert.equal(body.attachments[0].filename, text)
    }
  })
})

describe('Amazon SES (v2 SendEmail)', () => {
  use('SES')
  test('an e-mail is sent as raw MIME, signed for its region', async () => {
    const { method, path, headers, body } = await requestFor(api, provider)
    assert.deepEqual([method, path], ['POST', '/v2/email/outbound-emails'])
    assert.match(
      headers.authorization ?? '',
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

  test('an SES template gets its data, the attachments and the unsubscribe link', async () => {
    const { Content } = await bodyOf({
      templateId: 'approved',
      templateData,
      html: undefined,
      ...withAttachment,
    })
    assert.deepEqual(Object.keys(Content), ['Template'])
    const { TemplateName, TemplateData, Headers, Attachments } = Content.Template
    assert.equal(TemplateName, 'approved')
    assert.deepEqual(JSON.parse(TemplateData), templateData)
    assert.deepEqual(Headers, headerList)
    const [{ RawContent, ...rest }] = Attachments
    assert.deepEqual(rest, { FileName: 'narudžba.bin', ContentType: 'application/octet-stream' })
    assert.ok(Buffer.from(RawContent, 'base64').equals(allBytes))
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

  test('missing credentials are retried', async (t) => {
    // Credentials of this machine must not be found.
    const hidden = {
      ...{ AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: '/dev/null' },
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    }
    const before = { ...process.env }
    Object.assign(process.env, hidden)
    t.after(() => {
      for (const name of Object.keys(hidden)) delete process.env[name]
      Object.assign(process.env, before)
    })
    const other = await sesProvider({ ...sesOptions, credentials: undefined, apiUrl: api.url })
    t.after(other.close)
    await assert.rejects(other.send(anEmail(), neverAborted), {
      retryable: true,
      message: /^SES: CredentialsProviderError/,
    })
  })
})
