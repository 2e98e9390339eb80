/** Composes a digest: one e-mail about what was held for a user, with what they may read at this moment. */
import { mayReadRecord } from '../../auth/readable-values.ts'
import { publicUrlOf } from '../../config/load-config.ts'
import { namedEntity } from '../../definitions/catalog.ts'
import { shorten } from '../../issues.ts'
import { renderTemplate } from '../../templates/liquid-template.ts'
import { readingOf } from '../../users/user-readings.ts'
import type { ChannelOptions } from '../channel.ts'
import { mayReadComment, readerFor } from '../channels/readable-data.ts'
import type { TakenDelivery } from '../delivery.ts'
import { DeliveryError, NothingToSend } from '../delivery.ts'
import { absoluteUrl, oneLine, toText } from '../email/compose-email.ts'
import type { Email } from '../email/email.ts'
import type { LibraryOf } from '../email/template-library.ts'
import type { Signer } from '../signed-token.ts'
import { closeDigest, digestEntry, dissolveDigest, leaveOut, readDigest } from './digest-store.ts'

/** Whether a delivery is a digest. */
export const isDigest = ({ entry }: TakenDelivery): boolean => entry === digestEntry

type Deps = { readonly libraryOf: LibraryOf; readonly signer: Signer; readonly isPreview: boolean }

/** The e-mail; throws NothingToSend if what was held is sent by itself, or not at all. */
export const composeDigest = async (
  options: ChannelOptions,
  deps: Deps,
  digest: TakenDelivery,
): Promise<Email> => {
  if (!digest.is_active || digest.address === '')
    throw new DeliveryError('The recipient may not use the service any more.', { retryable: false })
  const { pool } = options
  const read = deps.isPreview ? readDigest : closeDigest
  const { held, more } = await read(pool, digest.mailing_id)
  const told: TakenDelivery[] = []
  const left: TakenDelivery[] = []
  for (const one of held) ((await mayBeTold(options, one)) ? told : left).push(one)
  if (!deps.isPreview) {
    await leaveOut(pool, left)
    // A repeated attempt says what the first one may have said.
    const isAlone = told.length === 1 && more === 0 && digest.tries === 1
    if (isAlone || told.length + more === 0) {
      await dissolveDigest(pool, digest)
      throw new NothingToSend()
    }
  }
  return emailOf(options, deps, digest, { told, more })
}

const mayBeTold = async (options: ChannelOptions, delivery: TakenDelivery): Promise<boolean> => {
  const { data, user_id: userId, role_key: roleKey } = delivery
  const { sight } = data
  const entity = options.catalog.entities.get(delivery.entity_key)
  if (!entity || !delivery.content) return false
  const person = { userId, roleKey }
  if (!(await mayReadComment(options.pool, options, person, { entity, data }))) return false
  if (sight?.skips_rights || sight?.shows_hidden) return true
  const reader = await readerFor(options, delivery, entity)
  return mayReadRecord(options, reader, entity, reader.reach.record)
}

type Contents = { readonly told: readonly TakenDelivery[]; readonly more: number }

const maxMessage = 500

const emailOf = async (
  options: ChannelOptions,
  { libraryOf, signer }: Deps,
  digest: TakenDelivery,
  { told, more }: Contents,
): Promise<Email> => {
  const { config } = options
  const { catalog, timeZone } = readingOf(options, digest)
  const publicUrl = publicUrlOf(config)
  const library = await (await libraryOf()).inLanguage(catalog.locale)
  const template = await library.digest()
  // Its kinds are read when it is used: an address in a header has little room.
  const claim = { for: 'unsubscribe', user: digest.user_id, digest: digest.mailing_id }
  const unsubscribeUrl = `${publicUrl}/api/notifications/unsubscribe?token=${signer.sign(claim)}`
  const reading = { locale: catalog.locale, timeZone }
  const data = {
    project: catalog.name ?? 'Docket',
    recipient: { full_name: digest.full_name },
    count: told.length + more,
    more,
    items: told.map(({ content, has_documents: hasFiles, entity_key: key, notified_at: at }) => {
      const entity = options.catalog.entities.get(key)
      return {
        title: content?.title ?? '',
        message: shorten(content?.message ?? '', maxMessage),
        url: absoluteUrl(content?.url ?? '', publicUrl),
        entity: entity ? namedEntity(catalog, entity).name : key,
        at,
        has_files: hasFiles,
      }
    }),
    settings_url: `${publicUrl}/console/settings`,
    unsubscribe_url: unsubscribeUrl,
  }
  const html = renderTemplate(template.html, data, reading)
  return {
    messageId: `<${digest.event}@${new URL(publicUrl).hostname}>`,
    to: { name: oneLine(digest.full_name), address: digest.address },
    replyTo: config.EMAIL_REPLY_TO,
    subject: oneLine(renderTemplate(template.subject, data, reading)),
    text: toText(html),
    html,
    templateId: undefined,
    templateData: {},
    attachments: [],
    unsubscribeUrl,
  }
}
