/** A hydrant's plate, as in `public/favicon.svg`. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <rect x="1" y="3" width="30" height="26" rx="4" fill="#fff" />
      <rect x="3" y="5" width="26" height="22" rx="2.5" fill="none" stroke="#b3201a" strokeWidth="3" />
      <path d="M11 10v12M21 10v12M11 16h10" fill="none" stroke="#16191b" strokeWidth="3.4" />
    </svg>
  )
}
