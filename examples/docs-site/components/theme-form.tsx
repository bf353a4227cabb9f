import { href } from 'hydrant/react'

const NAMES = { light: 'Light', dark: 'Dark', system: 'System' }

/** Sets the colors of the site, and returns to the page `from`. */
export function ThemeForm({ theme, from }: { theme: string; from: string }) {
  return (
    <form method="post" action={href('/theme')}>
      <fieldset className="theme">
        <legend className="unseen">Colors</legend>
        <input type="hidden" name="from" value={from} />
        {Object.entries(NAMES).map(([value, name]) => (
          <button key={value} type="submit" name="theme" value={value} aria-pressed={value === theme}>
            {name}
          </button>
        ))}
      </fieldset>
    </form>
  )
}
