package notify

const rootFolder = `C:\`

// script shows a toast; the texts come through the environment.
const script = `$m = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$t = $m::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$x = $t.GetElementsByTagName('text')
[void]$x.Item(0).AppendChild($t.CreateTextNode($env:REGREEN_TITLE))
[void]$x.Item(1).AppendChild($t.CreateTextNode($env:REGREEN_BODY))
$m::CreateToastNotifier('regreen').Show([Windows.UI.Notifications.ToastNotification, Windows.UI.Notifications, ContentType = WindowsRuntime]::new($t))`

func system(n Notice) command {
	return command{program: "powershell", args: []string{"-NoProfile", "-NonInteractive", "-Command", script},
		env: []string{"REGREEN_TITLE=" + n.Title, "REGREEN_BODY=" + n.Body}}
}
