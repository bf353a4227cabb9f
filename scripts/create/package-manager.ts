import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { foldersFrom } from '../build/esbuild/site-package.ts'

/** The commands of a package manager. */
export interface PackageManager {
  install: string
  /** Runs the script `dev`. */
  dev: string
  /** The contents of the configuration files that it needs, by path. */
  files: Record<string, string>
}

const PNPM_FILE = 'pnpm-workspace.yaml'
/**
 * pnpm ends with an error while it does not know whether packages may run scripts when they are installed. All packages work
 * without them. Version 10 reads the list, and later versions the other setting.
 */
const PNPM_SETTINGS = `# These packages need no install scripts.
allowBuilds:
  '@photostructure/sqlite': false
  esbuild: false
ignoredBuiltDependencies:
  - '@photostructure/sqlite'
  - esbuild
`

const NPM: PackageManager = { install: 'npm install', dev: 'npm run dev', files: {} }
const OTHERS = new Map<string | undefined, PackageManager>([
  ['pnpm', { install: 'pnpm install', dev: 'pnpm dev', files: { [PNPM_FILE]: PNPM_SETTINGS } }],
  // By default, Yarn 2 and later keep packages in archives, which TypeScript cannot read.
  ['yarn', { install: 'yarn install', dev: 'yarn dev', files: { '.yarnrc.yml': 'nodeLinker: node-modules\n' } }],
  ['bun', { install: 'bun install', dev: 'bun run dev', files: {} }],
])

/**
 * Returns the package manager that started this process, or npm.
 *
 * @param folder The absolute path of the new folder. In a workspace of pnpm, the settings of the workspace apply.
 * @param userAgent The variable `npm_config_user_agent`, which every package manager sets: `pnpm/11.2.0 npm/? node/…`.
 */
export function findPackageManager(folder: string, userAgent = ''): PackageManager {
  const manager = OTHERS.get(userAgent.split('/')[0]) ?? NPM
  const isInWorkspace = foldersFrom(dirname(folder)).some((parent) => existsSync(join(parent, PNPM_FILE)))
  return PNPM_FILE in manager.files && isInWorkspace ? { ...manager, files: {} } : manager
}
