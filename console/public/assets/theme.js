// Applies the chosen theme and density before the first paint; without a choice those of the system hold.
try {
  const { dataset } = document.documentElement
  const theme = localStorage.getItem('docket.theme')
  if (theme === 'light' || theme === 'dark') dataset.theme = theme
  if (localStorage.getItem('docket.density') === 'compact') dataset.density = 'compact'
} catch {
  // Storage is off: what the user chose comes with their settings.
}
