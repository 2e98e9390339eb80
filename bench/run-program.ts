/** Runs a program to its end. */
import { spawn } from 'node:child_process'

type Finished = { readonly ms: number; readonly output: string }

type Options = { readonly env?: Readonly<Record<string, string>>; readonly isDiscarded?: boolean }

/** What it printed and how long it took; throws when it fails. `isDiscarded` sends output nowhere. */
export const runProgram = (
  file: string,
  args: readonly string[],
  { env = {}, isDiscarded = false }: Options = {},
): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const child = spawn(file, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', isDiscarded ? 'ignore' : 'pipe', 'pipe'],
    })
    let output = ''
    let errors = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      errors += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve({ ms: performance.now() - begun, output })
      else reject(new Error(`${file} ended with code ${code}: ${errors.slice(-2000)}`))
    })
  })

/** Whether a program is there. */
export const hasProgram = (file: string): Promise<boolean> =>
  runProgram(file, ['--version'], { isDiscarded: true }).then(
    () => true,
    () => false,
  )
