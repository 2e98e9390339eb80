/** Parts of a page of which one is shown: tabs, moved through by arrow keys (WAI-ARIA tabs). */
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import './tabs.css'

export type Tab = {
  readonly key: string
  readonly label: string
  /** The number of its entries; undefined while it is loaded. */
  readonly count?: number | undefined
}

type TabListProps = {
  /** Names the elements of its tabs and their panel. */
  readonly id: string
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly chosen: string
  readonly onChoose: (key: string) => void
}

const tabId = (id: string, key: string): string => `${id}-tab-${key}`
const panelId = (id: string): string => `${id}-panel`

const steps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
}

export const TabList = ({ id, label, tabs, chosen, onChoose }: TabListProps): ReactNode => {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const at = tabs.findIndex(({ key }) => key === chosen)
    const isMirrored = getComputedStyle(event.currentTarget).direction === 'rtl'
    const next = tabs[steps[isMirrored ? mirrored(event.key) : event.key]?.(at, tabs.length) ?? -1]
    if (!next) return
    event.preventDefault()
    onChoose(next.key)
    document.getElementById(tabId(id, next.key))?.focus()
  }
  return (
    // The tabs have the focus; the list handles their keys.
    <div role="tablist" tabIndex={-1} aria-label={label} className="tab-list" onKeyDown={onKeyDown}>
      {tabs.map(({ key, label: name, count }) => (
        <button
          key={key}
          id={tabId(id, key)}
          type="button"
          role="tab"
          data-tab={key}
          aria-selected={key === chosen}
          aria-controls={panelId(id)}
          tabIndex={key === chosen ? 0 : -1}
          onClick={(event) => {
            onChoose(key)
            // Where there is no room for all tabs, it was perhaps seen in part.
            event.currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' })
          }}
        >
          <span dir="auto">{name}</span>
          {count !== undefined && count > 0 && <span className="tab-count">{count}</span>}
        </button>
      ))}
    </div>
  )
}

const mirrored = (key: string): string =>
  ({ ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' })[key] ?? key

type PanelProps = { readonly id: string; readonly chosen: string; readonly children: ReactNode }

/** What the chosen tab shows. */
export const TabPanel = ({ id, chosen, children }: PanelProps): ReactNode => (
  <div id={panelId(id)} role="tabpanel" aria-labelledby={tabId(id, chosen)} className="tab-panel">
    {children}
  </div>
)

// A choice between a few views of the same page: radio buttons that look like tabs.

type TabsProps<T extends string> = {
  readonly label: string
  readonly value: T
  readonly tabs: readonly { readonly value: T; readonly label: string }[]
  readonly onChange: (value: T) => void
}

export const Tabs = <T extends string>({
  label,
  value,
  tabs,
  onChange,
}: TabsProps<T>): ReactNode => {
  const name = useId()
  return (
    <fieldset className="tabs">
      <legend className="visually-hidden">{label}</legend>
      {tabs.map((tab) => (
        <label key={tab.value}>
          <input
            type="radio"
            name={name}
            className="visually-hidden"
            checked={tab.value === value}
            onChange={() => onChange(tab.value)}
          />
          {tab.label}
        </label>
      ))}
    </fieldset>
  )
}
