/** The settings of documents and functions, which run in processes of their own. */
import { optional, type Setting, setting, wholeNumber } from './setting.ts'

export const processSettings = {
  DOCUMENTS_MAX_PROCESSES: optional(
    wholeNumber(1, 1000),
    'Maximum documents rendered at once; without it one fewer than the processor cores, but at least 2.',
  ),
  DOCUMENTS_MAX_WAITING: setting(
    '1000',
    wholeNumber(0, 1_000_000),
    'Maximum waiting documents; further ones are answered 503 with Retry-After.',
  ),
  DOCUMENTS_MAX_WAITING_PER_CALLER: setting(
    '20',
    wholeNumber(0, 1_000_000),
    'Maximum waiting documents of one caller; further ones are answered 503 with Retry-After.',
  ),
  DOCUMENTS_TIMEOUT_SECONDS: setting(
    '30',
    wholeNumber(1, 3600),
    'Maximum time to render a document, from the moment at which a process begins with it.',
  ),
  DOCUMENTS_MAX_MEMORY_MIB: setting(
    '2048',
    wholeNumber(64, 1_048_576),
    'Maximum memory of one rendering process.',
  ),
  FUNCTIONS_MAX_PROCESSES: optional(
    wholeNumber(1, 1000),
    'Maximum function calls at once; without it the number of processor cores.',
  ),
  FUNCTIONS_MAX_WAITING: setting(
    '1000',
    wholeNumber(0, 1_000_000),
    'Maximum waiting function calls; further ones fail.',
  ),
  FUNCTIONS_LOAD_TIMEOUT_SECONDS: setting(
    '10',
    wholeNumber(1, 3600),
    'Maximum time to load the file of a function; each function sets the timeout of its calls.',
  ),
  FUNCTIONS_MAX_MEMORY_MIB: setting(
    '256',
    wholeNumber(16, 1_048_576),
    'Maximum heap and buffers of one process that runs functions.',
  ),
  FUNCTIONS_MAX_DOCUMENT_BYTES: setting(
    '104857600',
    wholeNumber(1, 1_073_741_824),
    'Maximum size of all documents of one function call.',
  ),
} satisfies Record<string, Setting<unknown>>
