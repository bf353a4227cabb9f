/** The commands of a package manager. */
export interface PackageManager {
  install: string
  /** Runs the script `dev`. */
  dev: string
  /** The contents of the configuration files that it needs, by path. */
  files: Record<string, string>
}

const NPM: PackageManager = { install: 'npm install', dev: 'npm run dev', files: {} }
const OTHERS = new Map<string | undefined, PackageManager>([
  ['pnpm', { install: 'pnpm install', dev: 'pnpm dev', files: {} }],
  // By default, Yarn 2 and later keep packages in archives, which TypeScript cannot read.
  ['yarn', { install: 'yarn install', dev: 'yarn dev', files: { '.yarnrc.yml': 'nodeLinker: node-modules\n' } }],
  ['bun', { install: 'bun install', dev: 'bun run dev', files: {} }],
])

/**
 * Returns the package manager that started this process, or npm.
 *
 * @param userAgent The variable `npm_config_user_agent`, which every package manager sets: `pnpm/11.2.0 npm/? node/…`.
 */
export function findPackageManager(userAgent = ''): PackageManager {
  return OTHERS.get(userAgent.split('/')[0]) ?? NPM
}
