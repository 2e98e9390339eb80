/** Theme, density, language, time zone and keys of the user; a choice holds at once. */
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Choice } from '../../parts/choice.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { languages, useWorkTexts } from '../../texts/texts.ts'
import { Keys } from '../session/keyboard.tsx'
import { densities, themes } from '../session/preferences.ts'
import { useSession } from '../session/session.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'

export const AppearanceForm = (): ReactNode => {
  const texts = useWorkTexts().settings
  const { config, preferences } = useSession()
  const { change, error } = useConsoleSettings()
  return (
    <>
      <Setting label={texts.theme}>
        <Tabs
          label={texts.theme}
          value={preferences.theme}
          tabs={themes.map((value) => ({ value, label: texts.themes[value] }))}
          onChange={(theme) => change({ theme })}
        />
      </Setting>
      <Setting label={texts.density}>
        <Tabs
          label={texts.density}
          value={preferences.density}
          tabs={densities.map((value) => ({ value, label: texts.densities[value] }))}
          onChange={(density) => change({ density })}
        />
      </Setting>
      <LabelledChoice
        label={texts.language}
        value={preferences.language}
        initial={texts.languageOfBrowser}
        choices={Object.entries(languages).map(([value, { name }]) => ({ value, label: name }))}
        onChange={(language) => change({ language })}
      />
      <LabelledChoice
        label={texts.zone}
        help={texts.zoneHelp}
        value={preferences.timeZone}
        initial={texts.zoneOfProject(config.timeZone)}
        choices={zones(preferences.timeZone)}
        onChange={(timeZone) => change({ timeZone })}
      />
      {error && <p role="alert">{`${texts.notSaved} ${error.message}`}</p>}
    </>
  )
}

/** All zones. Browsers list one name of zones that have two, so the chosen name may be missing there. */
const zones = (chosen: string | undefined) =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), ...(chosen === undefined ? [] : [chosen])])]
    .sort()
    .map((value) => ({ value, label: value.replaceAll('_', ' ') }))

type SettingProps = { readonly label: string; readonly children: ReactNode }

/** A visible label for radio buttons, which carry their own name. */
const Setting = ({ label, children }: SettingProps): ReactNode => (
  <div className="setting">
    <span aria-hidden="true">{label}</span>
    {children}
  </div>
)

type ChoiceProps = {
  readonly label: string
  readonly help?: string
  readonly value: string | undefined
  /** The label of no choice. */
  readonly initial: string
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  readonly onChange: (value: string | null) => void
}

const LabelledChoice = ({
  label,
  help,
  value,
  initial,
  choices,
  onChange,
}: ChoiceProps): ReactNode => {
  const id = useId()
  return (
    <div className="setting">
      <label htmlFor={id}>{label}</label>
      <Choice
        id={id}
        aria-describedby={help && `${id}-help`}
        value={value}
        none={initial}
        options={choices.map((choice) => [choice.value, choice.label])}
        onChange={(chosen) => onChange(chosen ?? null)}
      />
      {help && (
        <small id={`${id}-help`} className="setting-help">
          {help}
        </small>
      )}
    </div>
  )
}

/** Whether keys without Ctrl are active, and the list of all keys. */
export const KeySettings = (): ReactNode => {
  const texts = useWorkTexts().settings
  const { preferences } = useSession()
  const { change } = useConsoleSettings()
  const [isListing, setIsListing] = useState(false)
  const help = useId()
  return (
    <>
      <label className="setting-switch">
        <input
          type="checkbox"
          aria-describedby={help}
          checked={preferences.hasSingleKeys}
          onChange={({ target }) => change({ singleKeys: target.checked ? null : false })}
        />
        {texts.singleKeys}
      </label>
      <small id={help} className="setting-help">
        {texts.singleKeysHelp}
      </small>
      <div>
        <Button onClick={() => setIsListing(true)}>{texts.allKeys}</Button>
      </div>
      {isListing && <Keys onClose={() => setIsListing(false)} />}
    </>
  )
}
