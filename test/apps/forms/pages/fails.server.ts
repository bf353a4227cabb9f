export function load() {
  throw new Error('SECRET-MARKER')
}
