/** Builds the console after an installation; one without the packages of development has nothing to build with. */
import { access } from 'node:fs/promises'

const isInstalled = async (name: string): Promise<boolean> => {
  try {
    await access(new URL(`../node_modules/${name}`, import.meta.url))
    return true
  } catch {
    return false
  }
}

if (await isInstalled('vite')) await import('./build.ts')
else process.stderr.write('The console is not built, because vite is not installed.\n')
