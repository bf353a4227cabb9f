import type { BootModule } from './boot.ts'

/**
 * Returns the key of a layout for the given parameters. A layout has another key for each value of the parameters in
 * its folder's path: around another product it is another layout.
 */
export function layoutKey({ file, params = [] }: BootModule, values: Record<string, string>): string {
  return [file, ...params.map((name) => encodeURIComponent(values[name] ?? ''))].join('/')
}
