/** The format of the user's last export, which the service keeps; who has made none begins with the first one. */
import { useConsoleSettings } from '../session/use-console-settings.ts'
import { type Format, formats } from './export-request.ts'

const setting = 'exportFormat'

export const useLastFormat = () => {
  const { settings, change } = useConsoleSettings()
  const kept = formats.find((format) => format === settings[setting])
  return {
    lastFormat: kept ?? formats[0],
    keepFormat: (format: Format) => {
      if (format !== kept) change({ [setting]: format })
    },
  }
}
