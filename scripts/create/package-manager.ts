/** The commands of a package manager. */
export interface PackageManager {
  install: string
  /** Runs the script `dev`. */
  dev: string
}

const NPM: PackageManager = { install: 'npm install', dev: 'npm run dev' }
const OTHERS = new Map<string | undefined, PackageManager>([
  ['pnpm', { install: 'pnpm install', dev: 'pnpm dev' }],
  ['yarn', { install: 'yarn install', dev: 'yarn dev' }],
  ['bun', { install: 'bun install', dev: 'bun run dev' }],
])

/**
 * Returns the package manager that started this process, or npm.
 *
 * @param userAgent The variable `npm_config_user_agent`, which every package manager sets: `pnpm/11.2.0 npm/? node/…`.
 */
export function findPackageManager(userAgent = ''): PackageManager {
  return OTHERS.get(userAgent.split('/')[0]) ?? NPM
}
