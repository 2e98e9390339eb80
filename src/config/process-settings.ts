/** The settings of documents and functions, which run in processes of their own. */
import { optional, type Setting, setting, wholeNumber } from './setting.ts'

export const processSettings = {
  DOCUMENTS_MAX_PROCESSES: optional(
    wholeNumber(1, 1000),
    'Documents that are rendered side by side; without it one fewer than there are processor cores, but at least 2.',
  ),
  DOCUMENTS_MAX_WAITING: setting(
    '1000',
    wholeNumber(0, 1_000_000),
    'Documents that wait; further ones are answered 503 with Retry-After.',
  ),
  DOCUMENTS_MAX_WAITING_PER_CALLER: setting(
    '20',
    wholeNumber(0, 1_000_000),
    'Documents of one caller that wait; further ones are answered 503 with Retry-After.',
  ),
  DOCUMENTS_TIMEOUT_SECONDS: setting('30', wholeNumber(1, 3600), 'Longest time of a document.'),
  DOCUMENTS_MAX_MEMORY_MIB: setting(
    '2048',
    wholeNumber(64, 1_048_576),
    'Memory of one process that renders documents.',
  ),
  FUNCTIONS_MAX_PROCESSES: optional(
    wholeNumber(1, 1000),
    'Function calls that run side by side; without it as many as there are processor cores.',
  ),
  FUNCTIONS_MAX_WAITING: setting(
    '1000',
    wholeNumber(0, 1_000_000),
    'Function calls that wait; further ones fail.',
  ),
  FUNCTIONS_LOAD_TIMEOUT_SECONDS: setting(
    '10',
    wholeNumber(1, 3600),
    'Longest time to load the file of a function; each function sets the timeout of its calls.',
  ),
  FUNCTIONS_MAX_MEMORY_MIB: setting(
    '256',
    wholeNumber(16, 1_048_576),
    'Heap and buffers of one process that runs functions.',
  ),
  FUNCTIONS_MAX_DOCUMENT_BYTES: setting(
    '104857600',
    wholeNumber(1, 1_073_741_824),
    'Documents of one function call together.',
  ),
} satisfies Record<string, Setting<unknown>>
