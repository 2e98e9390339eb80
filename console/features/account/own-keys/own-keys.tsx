/** The API keys of the user: made after a proof, listed and revoked. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import {
  createKey,
  credentialsQuery,
  keysQuery,
  type WantedKey,
} from '../../../api/own/credentials.ts'
import type { Entity } from '../../../api/types.ts'
import { Button } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../../parts/notes.tsx'
import { useAdminTexts, useTexts, useWorkTexts } from '../../../texts/texts.ts'
import { useProvenMutation } from '../../session/proof/asked-proof.tsx'
import { useReading, useSession } from '../../session/session.ts'
import { TemporalInput } from '../../values/temporal-input.tsx'
import { useProof } from '../own-credentials/confirm-dialog.tsx'
import { KeyList } from './key-list.tsx'
import './own-keys.css'

export const OwnKeys = (): ReactNode => {
  const { data, error } = useQuery(credentialsQuery)
  if (!data) return error ? <ProblemNote error={error} /> : <Waiting />
  return <Keys credentials={data} />
}

type KeysProps = Parameters<typeof useProof>[0]

const Keys = ({ credentials }: { readonly credentials: KeysProps }): ReactNode => {
  const { apiKeys: texts } = useWorkTexts()
  const [isOpen, setIsOpen] = useState(false)
  const { withProof, dialog } = useProof(credentials)
  return (
    <>
      <p className="setting-help">{texts.help}</p>
      <KeyList />
      <div className="setting-actions">
        <Button aria-haspopup="dialog" onClick={() => withProof(() => setIsOpen(true))}>
          {texts.create}
        </Button>
      </div>
      {isOpen && <NewKeyDialog onClose={() => setIsOpen(false)} />}
      {dialog}
    </>
  )
}

const reach = ['everything', 'reading', 'part'] as const
type Reach = (typeof reach)[number]

const readingScope = '*:read,export'
// Long enough to be of use, and short enough that a forgotten key ends.
const usualDays = 90

const usualEnd = (): string =>
  new Date(Date.now() + usualDays * 86_400_000).toISOString().slice(0, 10)

type DialogProps = { readonly onClose: () => void }

const NewKeyDialog = ({ onClose }: DialogProps): ReactNode => {
  const { apiKeys: texts } = useWorkTexts()
  const client = useQueryClient()
  const making = useProvenMutation({
    mutationFn: createKey,
    onSuccess: () => client.invalidateQueries({ queryKey: keysQuery().queryKey }),
  })
  const { data, error, proof, isPending, mutate } = making
  return (
    <Dialog title={texts.titleOfNew} onClose={onClose}>
      {data ? (
        <MadeKey text={data.key} onClose={onClose} />
      ) : (
        <KeyForm onMake={mutate} onClose={onClose} isPending={isPending}>
          {error && <p role="alert">{error.message}</p>}
        </KeyForm>
      )}
      {proof}
    </Dialog>
  )
}

type FormProps = {
  readonly onMake: (wanted: WantedKey) => void
  readonly onClose: () => void
  readonly isPending: boolean
  readonly children: ReactNode
}

const KeyForm = ({ onMake, onClose, isPending, children }: FormProps): ReactNode => {
  const { apiKeys: texts } = useWorkTexts()
  const [chosenReach, setReach] = useState<Reach>('reading')
  const [chosen, setChosen] = useState<ChosenRights>(new Map())
  const [until, setUntil] = useState(usualEnd)
  const { timeZone } = useReading()
  const day = useId()
  const scopes = { everything: undefined, reading: readingScope, part: scopeOf(chosen) }
  const scope = scopes[chosenReach]
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onMake({
      name: String(new FormData(event.currentTarget).get('name')).trim(),
      scope,
      until: until === '' ? undefined : until,
    })
  }
  return (
    <form className="setting-form" onSubmit={submit}>
      <label>
        {texts.name}
        <input className="field-input" name="name" maxLength={100} required />
      </label>
      <div>
        <label htmlFor={day}>{texts.lastDay}</label>
        <TemporalInput
          id={day}
          value={until}
          hasTime={false}
          timeZone={timeZone}
          onChange={setUntil}
        />
      </div>
      <fieldset className="key-reach">
        <legend>{texts.scope}</legend>
        {reach.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="reach"
              checked={one === chosenReach}
              onChange={() => setReach(one)}
            />
            {texts.reach[one]}
          </label>
        ))}
      </fieldset>
      {chosenReach === 'part' && <ScopeChoice chosen={chosen} onChange={setChosen} />}
      {scope !== undefined && <code className="key-text">{scope}</code>}
      {children}
      <DialogActions onCancel={onClose}>
        <Button type="submit" look="primary" disabled={isPending || scope === ''}>
          {texts.make}
        </Button>
      </DialogActions>
    </form>
  )
}

// The form that had the focus is gone.
const focus = (input: HTMLInputElement | null): void => input?.focus()

type MadeProps = { readonly text: string; readonly onClose: () => void }

const MadeKey = ({ text, onClose }: MadeProps): ReactNode => {
  const { apiKeys: texts, settings, signIn } = useWorkTexts()
  const { common } = useTexts()
  const id = useId()
  return (
    <div className="setting-form">
      <label htmlFor={id}>{signIn.apiKey}</label>
      <div className="setting-line">
        <input
          id={id}
          className="field-input"
          ref={focus}
          readOnly
          dir="ltr"
          value={text}
          onFocus={({ target }) => target.select()}
        />
        <CopyButton text={text} face={settings.copy} copiedFace={settings.copied} />
      </div>
      <p>{texts.once}</p>
      <div className="dialog-actions">
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    </div>
  )
}

// What a new API key may do: the rights of the user, by entity, of which some are ticked.

const rights = [
  'read',
  'create',
  'update',
  'delete',
  'export',
  'import',
  'tasks',
  'comments',
  'internalComments',
  'actions',
  'takeOwnership',
  'anonymise',
  'purge',
] as const
type Right = (typeof rights)[number]

/** The ticked rights, by the key of the entity. */
type ChosenRights = ReadonlyMap<string, ReadonlySet<Right>>

/** As the service reads it; an empty text if nothing is ticked. */
const scopeOf = (chosen: ChosenRights): string =>
  [...chosen]
    .filter(([, ticked]) => ticked.size > 0)
    .map(([key, ticked]) => `${key}:${rights.filter((right) => ticked.has(right)).join()}`)
    .join(';')

const granted = ({ permissions }: Entity): readonly Right[] =>
  rights.filter((right) => {
    const one = permissions[right]
    return typeof one === 'object' ? one.length > 0 : one !== false
  })

/** All but creating needs reading too: it is ticked with the first of them, and takes them along when it is not any more. */
const withRight = (ticked: ReadonlySet<Right>, right: Right): ReadonlySet<Right> => {
  if (!ticked.has(right))
    return new Set([...ticked, right, ...(right === 'create' ? [] : ['read' as const])])
  const left = [...ticked].filter((one) => one !== right)
  return new Set(right === 'read' ? left.filter((one) => one === 'create') : left)
}

type Props = {
  readonly chosen: ChosenRights
  readonly onChange: (chosen: ChosenRights) => void
}

const nothing: ReadonlySet<Right> = new Set()

const ScopeChoice = ({ chosen, onChange }: Props): ReactNode => {
  const { definitions } = useAdminTexts()
  const { entities } = useSession()
  const nameOf = (right: Right) =>
    right === 'actions' ? definitions.actions : definitions.rights[right]
  return (
    <ul className="key-scope">
      {[...entities.values()].map((entity) => {
        const { key, pluralName } = entity
        const ticked = chosen.get(key) ?? nothing
        const names = rights.filter((right) => ticked.has(right)).map(nameOf)
        return (
          <li key={key}>
            <details>
              <summary>
                <span dir="auto">{pluralName}</span>{' '}
                <small className="setting-help">{names.join(', ')}</small>
              </summary>
              <fieldset aria-label={pluralName}>
                {granted(entity).map((right) => (
                  <label key={right}>
                    <input
                      type="checkbox"
                      checked={ticked.has(right)}
                      onChange={() => onChange(new Map(chosen).set(key, withRight(ticked, right)))}
                    />
                    {nameOf(right)}
                  </label>
                ))}
              </fieldset>
            </details>
          </li>
        )
      })}
    </ul>
  )
}
