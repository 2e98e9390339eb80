/** What the package exports to the code of a project: types only, `import type { … } from 'docket'`. */
export type {
  DocumentFunction,
  FunctionAction,
  FunctionContext,
  FunctionDocument,
  FunctionLog,
  FunctionRecord,
  FunctionServices,
  FunctionSubject,
  MessageHandler,
} from './function-context.ts'
