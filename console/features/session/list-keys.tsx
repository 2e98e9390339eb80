/** The keys of a list, which it handles itself while it has the focus. */
import type { ReactNode } from 'react'
import { useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import { useSession } from './session.ts'

type Meaning = Exclude<keyof WorkTexts['listKeys'], 'title'>

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

export const ListKeys = ({ render }: KeysProps): ReactNode => {
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
