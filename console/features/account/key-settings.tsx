/** Whether keys without Ctrl do anything, and which there are. */
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { useSettingsTexts } from '../../texts/settings/texts.ts'
import { Keys } from '../session/keyboard.tsx'
import { useSession } from '../session/session.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'

export const KeySettings = (): ReactNode => {
  const texts = useSettingsTexts()
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
