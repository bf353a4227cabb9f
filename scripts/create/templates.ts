import { join } from 'node:path'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import { closestMatch } from '../../src/server/util/closest-match.ts'
import { PACKAGE_FOLDER } from '../../src/server/util/package-folder.ts'

export type TemplateName = 'minimal' | 'tailwind' | 'plugin'

/** The folders of `templates/` that make up each template. A file of a later folder replaces that of an earlier one. */
const LAYERS: Record<TemplateName, readonly string[]> = {
  minimal: ['common', 'site', 'minimal'],
  tailwind: ['common', 'site', 'tailwind'],
  plugin: ['common', 'plugin'],
}

/** The folder of each template that is the site. */
export const SITE_FOLDERS: Record<TemplateName, string> = { minimal: '.', tailwind: '.', plugin: 'site' }

/** Returns the name of a template. Throws HYD_CLI_TEMPLATE for any other text. */
export function requireTemplate(name: string): TemplateName {
  if (isTemplateName(name)) return name
  const closest = closestMatch(name, Object.keys(LAYERS))
  const hint = closest ? `; did you mean "${closest}"?` : ''
  throw createHydrantError('HYD_CLI_TEMPLATE', [name, hint])
}

/** Returns the absolute paths of the folders that make up a template, in order. */
export function templateFolders(name: TemplateName): string[] {
  return LAYERS[name].map((layer) => join(PACKAGE_FOLDER, 'templates', layer))
}

function isTemplateName(name: string): name is TemplateName {
  return Object.hasOwn(LAYERS, name)
}
