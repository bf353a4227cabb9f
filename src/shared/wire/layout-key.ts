import type { BootModule } from './boot.ts'

/**
 * Names a layout as it stands: the same layout around another product is another one. `params` of the module are the
 * names of the parameters in its folder's path.
 */
export function layoutKey({ file, params = [] }: BootModule, values: Record<string, string>): string {
  return [file, ...params.map((name) => encodeURIComponent(values[name] ?? ''))].join('/')
}
