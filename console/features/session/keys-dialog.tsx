/** All keyboard shortcuts that hold on the page that is open, and the keys of a list. */
import { type ReactNode, useState } from 'react'
import { Dialog, DialogEnd } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import { useSession } from './session.ts'
import { currentShortcuts, isListShown, isSingle, type Place } from './shortcuts.ts'
import './keys-dialog.css'

type Meaning = Exclude<
  keyof WorkTexts['listKeys'],
  'title' | 'places' | 'nextKey' | 'singleKeysOff'
>

const rows: readonly (readonly [keys: string, meaning: Meaning])[] = [
  ['Enter', 'open'],
  ['Shift+F10', 'menu'],
  ['Space', 'select'],
  ['x', 'selectToo'],
  ['Shift+ArrowDown', 'extend'],
  ['Shift+Space', 'range'],
  ['Ctrl+a', 'all'],
  ['Escape', 'none'],
  ['ArrowUp', 'heads'],
  ['Enter', 'sort'],
  ['Shift+Enter', 'sortToo'],
  ['Shift+ArrowRight', 'wider'],
  ['Shift+ArrowLeft', 'narrower'],
  ['Ctrl+ArrowRight', 'forward'],
  ['Ctrl+ArrowLeft', 'back'],
]

type KeysProps = { readonly render: (keys: string, label: string) => ReactNode }

const ListKeys = ({ render }: KeysProps): ReactNode => {
  const texts = useWorkTexts().listKeys
  const { preferences } = useSession()
  // Letters alone may be switched off.
  const shown = rows.filter(([keys]) => keys !== 'x' || preferences.hasSingleKeys)
  return (
    <section className="keys-group">
      <h3>{texts.title}</h3>
      <dl>{shown.map(([keys, meaning]) => render(keys, texts[meaning]))}</dl>
    </section>
  )
}

const places = ['page', 'everywhere'] as const satisfies readonly Place[]

export const KeysDialog = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const { keys } = useTexts()
  const { listKeys } = useWorkTexts()
  const { preferences } = useSession()
  const [shortcuts] = useState(currentShortcuts)
  const [hasList] = useState(isListShown)
  const groups = places
    .map((place) => ({ place, rows: shortcuts.filter((one) => one.place === place) }))
    .filter(({ rows }) => rows.length > 0)
  return (
    <Dialog title={keys.title} onClose={onClose}>
      {hasList && (
        <ListKeys render={(one, label) => <Row key={label} keys={one} label={label} />} />
      )}
      {groups.map(({ place, rows }) => (
        <section key={place} className="keys-group">
          <h3>{listKeys.places[place]}</h3>
          <dl>
            {rows.map((one) => (
              <Row key={one.keys} keys={one.keys} label={one.label} />
            ))}
          </dl>
        </section>
      ))}
      {!preferences.hasSingleKeys && shortcuts.some((one) => isSingle(one.keys)) && (
        <p className="keys-note">{listKeys.singleKeysOff}</p>
      )}
      <DialogEnd onClose={onClose} look="plain" />
    </Dialog>
  )
}

type RowProps = { readonly keys: string; readonly label: string }

const Row = ({ keys, label }: RowProps): ReactNode => {
  const { keys: texts } = useTexts()
  const { listKeys } = useWorkTexts()
  return (
    <div className="keys-row">
      <dt dir="auto">{label}</dt>
      <dd>
        {keys.split(' ').map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: keys after each other never change their places
          <span key={at}>
            {at > 0 && <span className="keys-then"> {listKeys.nextKey} </span>}
            <kbd>{printKey(one, texts.names)}</kbd>
          </span>
        ))}
      </dd>
    </div>
  )
}

const isMac = /^Mac|^iP/.test(navigator.platform)

const arrows: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
}

/** `Ctrl+K` of `Ctrl+k`, with the names of keys in the language of the user. */
const printKey = (key: string, names: Readonly<Record<string, string>>): string =>
  key
    .split(/(?<=.)\+/)
    .map((part) => {
      if (part === 'Ctrl') return isMac ? '⌘' : (names.Ctrl ?? part)
      return part.length === 1 ? part.toUpperCase() : (names[part] ?? arrows[part] ?? part)
    })
    .join(isMac ? '' : '+')
