// Applies a chosen theme before the first paint; without a choice that of the system holds.
try {
  const theme = localStorage.getItem('docket.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is off: the theme of the system holds.
}
