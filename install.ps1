# Installs lock_folder_util on Windows for the user who runs it: fetches the archive, compares its checksum,
# tries the program, and only then puts it into place. Nothing else is changed.
#
#     install.ps1 [TAG]          a release such as v0.1.0; without it, the newest
#
# INSTALL_DIR                    where to put the program; Programs\lock_folder_util in LOCALAPPDATA by default
# LOCK_FOLDER_UTIL_RELEASES      the address of the releases, in place of the one below

param([string]$Tag = '')

# In a scope of its own: `iex` runs this in the caller's, where none of these settings must stay.
& {
    # A release writes its own address here.
    $releases = ''

    $ErrorActionPreference = 'Stop'
    # Its picture of the progress makes Windows PowerShell's download many times slower.
    $ProgressPreference = 'SilentlyContinue'

    if ($env:LOCK_FOLDER_UTIL_RELEASES) { $releases = $env:LOCK_FOLDER_UTIL_RELEASES }
    if (-not $releases) {
        throw 'This copy is not from a release: set LOCK_FOLDER_UTIL_RELEASES to the address of the releases'
    }
    if ($Tag -and $Tag -notmatch '^[A-Za-z0-9._][A-Za-z0-9._-]*$') {
        throw "`"$Tag`" is no tag of a release, such as v0.1.0"
    }
    # Windows on ARM runs programs for x86_64 too.
    if ($env:PROCESSOR_ARCHITECTURE -notin 'AMD64', 'ARM64') {
        throw "There is no program for the processor $env:PROCESSOR_ARCHITECTURE; there is one for x86_64"
    }

    $package = 'lock_folder_util-x86_64-pc-windows-msvc'
    $archive = "$package.zip"
    $from = if ($Tag) { "$releases/download/$Tag" } else { "$releases/latest/download" }
    $folder = $env:INSTALL_DIR
    if (-not $folder) { $folder = Join-Path $env:LOCALAPPDATA 'Programs\lock_folder_util' }
    $program = Join-Path $folder 'lock_folder_util.exe'

    $scratch = Join-Path ([IO.Path]::GetTempPath()) "lock_folder_util-$([Guid]::NewGuid())"
    New-Item -ItemType Directory -Path $scratch | Out-Null
    try {
        # Windows PowerShell does not offer it by itself.
        $protocols = [Net.ServicePointManager]::SecurityProtocol
        [Net.ServicePointManager]::SecurityProtocol = $protocols -bor [Net.SecurityProtocolType]::Tls12

        Write-Host "Fetching $from/$archive"
        $list = Join-Path $scratch 'SHA256SUMS'
        Invoke-WebRequest -UseBasicParsing -Uri "$from/SHA256SUMS" -OutFile $list
        $line = Get-Content $list | Where-Object { ($_ -split '\s+')[1] -eq $archive }
        if (-not $line) { throw "SHA256SUMS of that release does not name $archive" }
        $expected = ($line -split '\s+')[0]

        $file = Join-Path $scratch $archive
        Invoke-WebRequest -UseBasicParsing -Uri "$from/$archive" -OutFile $file
        $actual = (Get-FileHash -Algorithm SHA256 -Path $file).Hash
        if ($actual -ne $expected) {
            throw "$archive has the checksum $actual, but should have ${expected}: nothing is installed"
        }
        Write-Host "Its checksum is right: $expected"

        Expand-Archive -Path $file -DestinationPath $scratch
        $fresh = Join-Path $scratch "$package\lock_folder_util.exe"
        $version = & $fresh --version
        if ($LASTEXITCODE -ne 0) { throw "The program does not run here: it ended with $LASTEXITCODE" }

        New-Item -ItemType Directory -Path $folder -Force | Out-Null
        Move-Item -Path $fresh -Destination $program -Force
        Write-Host "Installed $version as $program"
        if (($env:PATH -split ';') -notcontains $folder) {
            Write-Host "$folder is not in your PATH: add it, or call the program by its full name"
        }
    } finally {
        Remove-Item -Path $scratch -Recurse -Force
    }
}
