/** The state of one export, from the choice of a file to the file, or to why there is none. */
import { useEffect, useRef, useState } from 'react'
import { type ExportRequest, fileNameOf } from '../export-request.ts'
import { chooseTarget, type OfferedFile } from './file-target.ts'
import { ExportFailure, type Progress, runExport } from './run-export.ts'

export type ExportFile = {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  /** Undefined: it stands where the user wants it. */
  readonly offered: OfferedFile | undefined
}

export type ExportState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly begun: number; readonly progress: Progress }
  | { readonly kind: 'done'; readonly file: ExportFile }
  | { readonly kind: 'failed'; readonly failure: ExportFailure }

const idle: ExportState = { kind: 'idle' }

export const useExport = () => {
  const [state, setState] = useState<ExportState>(idle)
  const running = useRef<AbortController>(undefined)
  const offered = state.kind === 'done' ? state.file.offered : undefined
  useEffect(() => () => running.current?.abort(), [])
  useEffect(() => () => offered?.forget(), [offered])
  const start = async (request: ExportRequest) => {
    const controller = new AbortController()
    running.current = controller
    // What became of an earlier one is over.
    setState(idle)
    try {
      setState(await stateAfter(request, controller.signal, setState))
    } catch (error) {
      const failure =
        error instanceof ExportFailure ? error : new ExportFailure('unwritable', error)
      setState({ kind: 'failed', failure })
    }
  }
  return {
    state,
    start: (request: ExportRequest) => void start(request),
    stop: () => running.current?.abort(),
    reset: () => setState(idle),
  }
}

const stateAfter = async (
  request: ExportRequest,
  signal: AbortSignal,
  onState: (state: ExportState) => void,
): Promise<ExportState> => {
  const name = fileNameOf(request)
  // Browsers open the choice of a file only right after a click.
  const target = await chooseTarget(name)
  if (!target) return idle
  const begun = performance.now()
  const onProgress = (progress: Progress) => onState({ kind: 'running', begun, progress })
  onProgress({ bytes: 0, rows: undefined, rowsPerSecond: undefined })
  const file = await runExport(request, { target, signal, onProgress })
  return { kind: 'done', file: { name, ...file } }
}
