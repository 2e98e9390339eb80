/** The settings of files: where their bytes are, and how many. */
import { fileURLToPath } from 'node:url'
import { optional, type Parser, type Setting, setting, url, wholeNumber } from './setting.ts'

/** The path of a folder by its URL. */
const folder: Parser<string> = (value) => {
  try {
    return fileURLToPath(value)
  } catch {
    return { issue: 'must be the URL of a folder, such as file:///srv/shop/files' }
  }
}

const most = 1_099_511_627_776

export const fileSettings = {
  FILES_URL: optional(
    folder,
    'Folder of the bytes of files, such as `file:///srv/shop/files`, which must exist; without it `files` under `.docket/`. All processes of a database need the same.',
  ),
  FILES_MAX_BYTES: setting('52428800', wholeNumber(1, most), 'Largest file that is uploaded.'),
  FILES_USER_BYTES: setting(
    '1073741824',
    wholeNumber(1, most),
    'Maximum bytes of one user in uploads that no record uses yet.',
  ),
  FILES_TOTAL_BYTES: setting(
    '10737418240',
    wholeNumber(1, most),
    'Maximum bytes of all users in uploads that no record has used.',
  ),
  FILES_KEEP_DAYS: setting(
    '30',
    wholeNumber(1, 36500),
    'Days for which bytes are kept that no record uses any more, so that a restored backup finds them; longer than backups are kept.',
  ),
  FILES_SCAN: optional(
    url('clamd:', 'https:'),
    'Scanner that every uploaded file has to pass: `clamd://HOST:PORT`, or an address that gets it by POST and answers 2xx, or 422 for one that is refused. Without an answer the file is refused too.',
  ),
} satisfies Record<string, Setting<unknown>>
