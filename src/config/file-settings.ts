/** The settings of files: where their bytes are, and how many. */
import { optional, type Parser, type Setting, setting, text, url, wholeNumber } from './setting.ts'

const names = new Set(['endpoint', 'region'])

/** The URL of a folder, or of a bucket with what its client has to know. */
const place: Parser<string> = (value) => {
  const url = URL.parse(value)
  const isFolder = url?.protocol === 'file:' && url.host === ''
  const endpoint = url?.searchParams.get('endpoint') ?? 'https://s3'
  const isBucket =
    url?.protocol === 's3:' &&
    /^[a-z0-9][a-z0-9.-]{2,62}$/.test(url.host) &&
    [...url.searchParams.keys()].every((name) => names.has(name)) &&
    /^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')
  return isFolder || isBucket
    ? value
    : {
        issue:
          'must be the URL of a folder, such as file:///srv/shop/files, or of a bucket, such as s3://bucket/prefix?region=eu-central-1, with endpoint=https://… for a store other than that of Amazon',
      }
}

const most = 1_099_511_627_776

export const fileSettings = {
  FILES_URL: optional(
    place,
    'Where the bytes of files are: a folder that exists, such as `file:///srv/shop/files`, or a bucket, such as `s3://bucket/prefix?region=eu-central-1`, with `endpoint=` for another store than that of Amazon; without it `files` under `.docket/`. All processes of a database need the same.',
  ),
  FILES_ACCESS_KEY_ID: optional(
    text,
    'Access key of the bucket; without it the default credentials of AWS clients.',
  ),
  FILES_SECRET_ACCESS_KEY: optional(text, 'Secret of this access key.'),
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
