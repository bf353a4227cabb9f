import classes from './badges.module.css'

export function SideMark({ side }: { side: 'server' | 'client' }) {
  return <span className={`${classes.mark} ${classes[side]}`}>{side}</span>
}

export function SolvedMark() {
  return <span className={`${classes.mark} ${classes.solved}`}>solved</span>
}
